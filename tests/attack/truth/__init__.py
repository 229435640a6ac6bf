"""Truth without the program: integrators in long double, switching from event to event, time stepping with contacts."""

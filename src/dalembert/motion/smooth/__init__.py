"""Motion between two switches: steps as polynomials, looked at where the step rule never looked, and ended in words."""

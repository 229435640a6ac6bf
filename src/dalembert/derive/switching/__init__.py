"""What switches (contacts, friction, |x|) as smooth stages: gates, modes, the statement and guards of each mode."""

"""Motion across switches: contacts that close and open, friction that sticks and slips, functions that change side."""

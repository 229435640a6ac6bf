"""A standing attack on motion: systems made from a seed, each with a truth that shares no code with the program."""

"""The classes of systems that are attacked, one a file; each has `make(seed)`."""

"""Faults that were found by hand, each as a case with its right answer, one kind of fault a file."""

"""The command line: spelling, not thinking."""

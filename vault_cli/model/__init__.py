"""What things are. Standard library and `errors` only: no I/O, no clock, no YAML."""

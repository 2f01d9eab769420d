"""Pure functions on text. May import `model` and `errors`."""

"""Disk and git. May import `text`, `model` and `errors`."""

"""Readers of agents' session logs: one stream of `model.transcript.Event` for every host."""

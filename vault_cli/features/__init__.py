"""Planners: (snapshot, request, now, actor) to Change. May import `recall`, `text`, `model`."""

"""Importers of foreign memory stores: one module a format, one port (`port`).

Each reads a folder or a file and gives `model.foreign.Store`. None writes, follows a link out of
what it was given, or starts a program. The formats are listed in `table`.
"""

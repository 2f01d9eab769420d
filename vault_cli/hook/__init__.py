"""The fast path of hooks: a handful of standard modules. Imports nothing else of ours."""

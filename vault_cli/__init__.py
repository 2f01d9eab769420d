"""mvault: a plain-Markdown memory vault for coding agents."""

__version__ = "0.1.0"

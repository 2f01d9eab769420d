"""Body fields by heading, English and Chinese. May import markdown_it inside functions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """One level-2 section of a body.

    Args:
        name: canonical English name (`problem`, `correction`, `avoid`, `steps` ...), or the
            heading in lower case when it is not a known one.
        heading: heading text as written.
        text: the section's text, stripped of blank lines at both ends.
    """

    name: str
    heading: str
    text: str


def split_sections(body: str) -> tuple[str, tuple[Section, ...]]:
    """Split a body into its lead (text before the first `##`, without the `#` title) and sections.

    A `##` inside a code fence is not a heading. Bodies over 64 KiB are returned whole as the lead.
    """
    raise NotImplementedError


def section_text(body: str, *names: str) -> str:
    """Return the text of the first section whose canonical name is in `names`, else ""."""
    raise NotImplementedError

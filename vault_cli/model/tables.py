"""Names and numbers that several layers share. Imports nothing."""

from __future__ import annotations

from typing import Final

GROUPS: Final = (
    "handoff",
    "persona",
    "profile",
    "corrections",
    "failures",
    "required",
    "checklist",
    "rules",
    "lessons",
    "reference",
    "conflicts",
    "recipes",
    "skills",
    "requested",
)
"""Groups of a rendered block in their default order (setting `render.order`)."""

USER_ROLE: Final = "user"
"""Value of `role` of a persona that is the profile of the person, not the agent's persona."""

SCOPE_LEVELS: Final = ("global", "project", "session")
"""Levels of a record's scope, the widest first (setting `render.scopes`)."""

ADMISSION_GATES: Final = (
    "filler",
    "secrets",
    "personal",
    "injection",
    "suspicion",
    "authority",
    "cliche",
)
"""What is asked of a text before it is admitted (setting `admission.gates`)."""

SCANNER: Final = "4"
"""Version of the admission scanner: another one makes another cache. Count up when it changes."""

MAX_FILE: Final = 1 << 20
"""Bytes of the largest record file that is read."""

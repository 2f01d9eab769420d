"""When a session was last stopped by a rule, so that the retry passes. Standard library.

Where the state folder cannot be written (the sandbox of DSH lets hooks write into the project and
temporary folders only) the spare folder stands in, but only one that an earlier event left there:
a sandbox that begins with an empty temporary folder each time would stop the retry, too, for ever.
"""

from __future__ import annotations

from vault_cli.hook.state import FOLDER, is_folder_of_user, spare_folder
from vault_cli.hook.system import NO_FOLLOW, calls, make_folders

NAME = "cooldown"


def is_first(state: str, mark: str, seconds: float, now: float) -> bool:
    """Tell whether nothing was stopped under a mark within some seconds, and note that it is now.

    Args:
        state: the state folder.
        mark: names the session and the rule; a file name.
        seconds: how long a retry passes.
        now: Unix time.

    When it cannot be noted the answer is no: the retry would be stopped, too, for ever.
    """
    try:
        return _note(f"{state}/{FOLDER}/{NAME}", mark, seconds, now)
    except OSError:
        spare = spare_folder()
    try:
        return is_folder_of_user(spare) and _note(f"{spare}/{NAME}", mark, seconds, now)
    except OSError:
        return False


def _note(folder: str, mark: str, seconds: float, now: float) -> bool:
    """Note the time in a folder; tell whether none was noted that still counts."""
    path, flags = f"{folder}/{mark}", calls.O_RDWR | calls.O_CREAT | NO_FOLLOW
    try:
        file = calls.open(path, flags, 0o600)
    except FileNotFoundError:
        make_folders(folder)
        file = calls.open(path, flags, 0o600)
    try:
        said = calls.read(file, 32)
        if said.isdigit() and 0 <= now - int(said) < seconds:
            return False
        calls.lseek(file, 0, 0)
        calls.truncate(file, calls.write(file, b"%d" % now))
    finally:
        calls.close(file)
    return True

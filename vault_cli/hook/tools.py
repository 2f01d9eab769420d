"""Names of tools: one table for all hosts, and what a tool was asked to do. No imports.

Every host calls its tools something else (`Bash`, `bash`, `run_shell_command`); rules, failures
and captured calls speak of them by one canonical name: `shell`, `edit`, `write`, `read`, `agent`,
`search`, `list`, `fetch`, `web-search`, `todo`, `mcp:<server>/<tool>`. A tool that is not in the
table keeps its own name in lower case.
"""

from __future__ import annotations

NAMES = {
    "shell": "bash shell powershell pwsh cmd run_shell_command run_terminal_cmd run_in_terminal"
    " exec exec_command shell_command local_shell terminal execute_command runcommand"
    " beforeshellexecution aftershellexecution write_stdin",
    "edit": "edit multiedit apply_patch replace str_replace str_replace_editor edit_file"
    " search_replace patch editfiles notebookedit update_file afterfileedit insert_edit_into_file",
    "write": "write write_file create create_file save_file new_file",
    "read": "read read_file view open_file cat_file notebookread read_many_files"
    " beforereadfile view_image",
    "agent": "agent task spawn_agent subagent delegate runsubagent",
    "search": "grep glob search grep_search codebase_search find_files search_file_content"
    " file_search ripgrep",
    "list": "ls list list_dir list_directory",
    "fetch": "fetch webfetch web_fetch fetch_url",
    "web-search": "websearch web_search google_web_search",
    "todo": "todowrite todoread todo_write update_plan write_todos",
}
"""Canonical name: the hosts' names, lower case, by words."""

CANONICAL = {word: name for name, words in NAMES.items() for word in words.split()}
CANONICAL.update({name: name for name in NAMES})

MAIN_FIELDS = {
    "shell": "command",
    "edit": "path",
    "write": "path",
    "read": "path",
    "agent": "prompt",
    "search": "pattern",
    "list": "path",
    "fetch": "url",
    "web-search": "query",
}
"""What a rule looks at when it names no field."""

FIELDS = {
    "command": ("command", "cmd", "script", "commandLine", "input"),
    "path": (
        "file_path",
        "path",
        "filePath",
        "absolute_path",
        "notebook_path",
        "target_file",
        "dir_path",
        "filename",
        "command",
        "patch",
        "input",
    ),
    "content": ("content", "new_string", "newString", "new_str", "new_source", "command", "patch"),
    "prompt": ("prompt", "message", "description", "task"),
    "url": ("url", "uri"),
    "pattern": ("pattern", "query", "regex"),
    "query": ("query", "q"),
}
"""One name for the same field of several hosts, in the order they are looked for."""

_SCRIPT = 3
"""Words of a command that is a shell, an option and a script."""

_SHELLS = ("sh", "bash", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "cmd", "cmd.exe")


def canonical(name: str) -> str:
    """Return the canonical name of a host's tool (or of one that is canonical already)."""
    text = str(name).strip()
    lower = text.lower()
    if lower in CANONICAL:
        return CANONICAL[lower]
    if lower[:5] == "mcp__":
        server, _, tool = lower[5:].partition("__")
        return "mcp:" + server + ("/" + tool if tool else "")
    if lower[:4] == "mcp_":  # one underscore: where the server's name ends nobody can tell
        server, _, tool = lower[4:].partition("_")
        return "mcp:" + server + ("/" + tool if tool else "")
    if lower[:4] == "mcp:":
        return "mcp:" + lower[4:].strip()
    return lower


def fits(wanted: tuple[str, ...], tool: str) -> bool:
    """Tell whether a canonical tool is one of those that a rule names (canonical, `*`, `mcp:s/*`).

    Names of MCP tools are compared without their separators: hosts write them differently, and a
    plugin's server has the plugin's name before its own.
    """
    if tool in wanted or "*" in wanted:
        return True
    if tool[:4] != "mcp:":
        return False
    flat = tool.replace("/", "_")
    for name in wanted:
        if name[:4] != "mcp:":
            continue
        own = name[4:].replace("/", "_")
        if own[-1:] == "*":
            stem = own[:-1]
            if flat.startswith("mcp:" + stem):
                return True
            if flat.startswith("mcp:plugin_") and "_" + stem in flat:
                return True
        elif flat == "mcp:" + own or (flat.startswith("mcp:plugin_") and flat.endswith("_" + own)):
            return True
    return False


def field_text(tool: str, given: object, field: str = "") -> str:
    """Return the text of one field of a tool's input, "" when it has none.

    Args:
        tool: canonical name.
        given: the tool's input: keys and values, or a bare text.
        field: a name of ours (`command`, `path`, `content` ...) or the host's; "" the main one.
    """
    if isinstance(given, str):
        return given
    if not isinstance(given, dict):
        return ""
    wanted = field or MAIN_FIELDS.get(tool, "")
    names = (wanted, *FIELDS.get(wanted, ())) if wanted else tuple(given)
    if wanted == "path" and tool not in ("edit", "write"):
        names = tuple(name for name in names if name not in ("command", "patch", "input"))
    found = []
    for name in names:
        text = _text_of(given.get(name))
        if text and wanted:
            return text
        if text:
            found.append(text)
    return "\n".join(found)


def _text_of(value: object) -> str:
    """Return a value as text; a command as a list of words is joined, a shell's script alone."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        if (
            len(value) >= _SCRIPT
            and value[0].rpartition("/")[2] in _SHELLS
            and value[1][:1] in ("-", "/")
        ):
            return str(value[-1])
        return " ".join(value)
    return "" if value is None or isinstance(value, dict | list) else str(value)

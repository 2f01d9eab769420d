"""The server over the official SDK, which takes 75 times a bare start: nothing else imports this.

May import `mcp.tools`, `mcp.faults`, `mcp.port`, `mcp.wire`, and the SDK (extra `mvault[mcp]`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ToolError, UnexpectedToolError
from mcp_types import ToolAnnotations
from pydantic import Field, ValidationError

from vault_cli import __version__
from vault_cli.mcp.faults import explain_faults
from vault_cli.mcp.port import Run
from vault_cli.mcp.tools import ToolFailure, Tools
from vault_cli.mcp.wire import stdio

INSTRUCTIONS = (
    "mvault keeps what people admitted from earlier work: rules, lessons, known failures, facts,"
    " recipes. Search it before work that may have been done before, and cite the ids used."
    " What is worth keeping goes in with `remember`, as a candidate: only a person puts it in"
    " force. `mark` says whether a record that was shown helped or misled. `task_start` before real"
    " work and `task_end` after it note what was known and how it came out."
)

_READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_ADDS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)

Ident = Annotated[str, Field(description="Id of a record, as l-7k3qd2m, or its beginning.")]
ProposedKind = Literal[
    "lesson", "failure", "rule", "fact", "preference", "insight", "hypothesis", "resource",
    "decision", "note", "recipe",
]  # fmt: skip
_Texts = Annotated[list[str] | None, Field(description="Texts; none by default.")]


def build_server(run: Run) -> MCPServer[Any]:
    """Return the server with its tools and resources.

    Args:
        run: runs one command line as an agent.
    """
    server: MCPServer[Any] = _Server(
        "mvault", instructions=INSTRUCTIONS, version=__version__, log_level="CRITICAL"
    )
    tools = Tools(run)
    adders = (_add_overview, _add_lookup, _add_proposing, _add_marking, _add_tasks)
    for add in (*adders, _add_learning, _add_resources):
        add(server, tools)
    _refuse_unknown(server)
    return server


class _Server(MCPServer[Any]):
    """The SDK's server, with errors in our words and an answer to every line."""

    async def run_stdio_async(self) -> None:
        """Serve the program that started this one, until it closes our stdin."""
        own = self._lowlevel_server
        async with stdio() as (heard, answers):
            await own.run(heard, answers, own.create_initialization_options())

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> Any:
        """Call a tool; what is wrong with the call is said without the SDK's words around it."""
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError:
            raise
        except ToolError as error:
            found = error.__cause__
            tool = self._tool_manager.get_tool(name)
            if tool is None:
                known = ", ".join(one.name for one in self._tool_manager.list_tools())
                raise ToolError(f"there is no tool {name[:80]}; there are: {known}") from None
            if isinstance(found, ValidationError):
                faults = found.errors(include_url=False, include_input=False)
                words = explain_faults(name, faults, tool.parameters)
                raise ToolError(words) from None
            raise ToolError(str(error).removeprefix(f"Error executing tool {name}: ")) from None


def _refuse_unknown(server: MCPServer[Any]) -> None:
    """Let a call with an argument that a tool has not fail, and name it.

    The SDK passes over such arguments: a text under a wrong name would be lost without a word.
    """
    for tool in server._tool_manager.list_tools():  # noqa: SLF001 - the SDK has no setting for it
        model = tool.fn_metadata.arg_model
        model.model_config["extra"] = "forbid"
        model.model_rebuild(force=True)
        tool.parameters["additionalProperties"] = False


def _add_overview(server: MCPServer[Any], tools: Tools) -> None:
    tool = functools.partial(server.tool, annotations=_READS, structured_output=False)

    @tool(title="What is in force, in 400 characters")
    @_told
    def brief() -> str:
        """Say in a few lines what this memory holds; good as the first call of a session."""
        return tools.brief()

    @tool(title="The memory for a task")
    @_told
    def context(
        task: Annotated[str, Field(description="What is about to be done.")] = "",
        budget: Annotated[int, Field(description="Most bytes; 0: as configured.", ge=0)] = 0,
    ) -> str:
        """Return the rules, known failures and lessons in force, those for the task first."""
        return tools.context(task, budget)

    @tool(title="Candidates that wait for a person")
    @_told
    def review_list() -> str:
        """List the candidates; only a person admits them."""
        return tools.review_list()


def _add_lookup(server: MCPServer[Any], tools: Tools) -> None:
    tool = functools.partial(server.tool, annotations=_READS, structured_output=False)

    @tool(title="Search the memory")
    @_told
    def search(
        query: Annotated[str, Field(description="Words, in any language; one is enough.")],
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        kinds: _Texts = None,
        topics: _Texts = None,
        view: Annotated[
            Literal["", "strict", "historical", "associative"],
            Field(description="historical: also what no longer holds."),
        ] = "",
        expand: Annotated[bool, Field(description="Also what is linked to the best.")] = False,  # noqa: FBT002
        explain: Annotated[bool, Field(description="Say what a score is made of.")] = False,  # noqa: FBT002
    ) -> str:
        """Find records by their words, the best first, with ids; `show` gives one whole."""
        found = kinds or (), topics or ()
        return tools.search(query, limit, *found, view, expand=expand, explain=explain)

    @tool(title="Search earlier sessions")
    @_told
    def sessions_search(
        query: Annotated[str, Field(description="Words, in any language; one is enough.")],
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> str:
        """Find what was said and done in earlier sessions of this project, from the logs here.

        What stands there was said, and need not be true: nobody admitted it.
        """
        return tools.sessions(query, limit)

    @tool(title="Show one record")
    @_told
    def show(
        id: Ident,  # noqa: A002 - the name a model expects
        expand: Annotated[bool, Field(description="Also its links.")] = False,  # noqa: FBT002
    ) -> str:
        """Return one record whole: its text, when it applies, its limits."""
        return tools.show(id, expand=expand)

    @tool(title="Where a record comes from")
    @_told
    def lessons_lookup(lesson_id: Ident) -> str:
        """Return one record with its provenance: who claimed and admitted it, its evidence."""
        return tools.show(lesson_id, provenance=True)

    @tool(title="Why a line is in the block")
    @_told
    def why(line: Annotated[str, Field(description="A line of the block, or an id.")]) -> str:
        """Say which record a line of the injected memory comes from, and why it is there."""
        return tools.why(line)


def _add_proposing(server: MCPServer[Any], tools: Tools) -> None:
    tool = functools.partial(server.tool, annotations=_ADDS, structured_output=False)

    @tool(title="Propose a memory")
    @_told
    def remember(
        kind: Annotated[ProposedKind, Field(description="What it is.")],
        title: Annotated[
            str, Field(description="One line that says it, at most 300 characters.", min_length=1)
        ],
        text: Annotated[str, Field(description="Markdown; or use sections.")] = "",
        sections: Annotated[
            dict[str, str] | None,
            Field(description="problem, attempted, correction, avoid, instead, steps … to text."),
        ] = None,
        applies_when: Annotated[str, Field(description="When it matters; rules need it.")] = "",
        boundary: Annotated[str, Field(description="Where it stops being true.")] = "",
        scope: Annotated[str, Field(description="global, project or session:ID.")] = "",
        topics: _Texts = None,
        keywords: _Texts = None,
        importance: Annotated[int | None, Field(ge=1, le=10)] = None,
        confidence: Literal["", "low", "medium", "high"] = "",
        source: Annotated[
            Literal["user", "agent", "web", "tool", "doc"],
            Field(description="Who claims it; user when the person said so."),
        ] = "agent",
        correction: Annotated[bool, Field(description="A person corrected the agent.")] = False,  # noqa: FBT002
        supersedes: Annotated[list[str] | None, Field(description="Ids it replaces.")] = None,
        derived_from: Annotated[list[str] | None, Field(description="Ids it rests on.")] = None,
    ) -> str:
        """Propose a record as a candidate, with what is near to it. A person decides about it.

        A secret is refused, a text that gives orders or hides characters is held back.
        """
        fields = {
            "title": title,
            "body": text,
            "sections": sections,
            "applies_when": applies_when,
            "boundary": boundary,
            "scope": scope,
            "topics": topics,
            "keywords": keywords,
            "importance": importance,
            "confidence": confidence,
            "source": source,
            "correction": correction or None,
            "supersedes": supersedes,
            "derived_from": derived_from,
        }
        return tools.remember(kind, fields)


def _add_marking(server: MCPServer[Any], tools: Tools) -> None:
    tool = functools.partial(server.tool, annotations=_ADDS, structured_output=False)

    @tool(title="Say that records were used, helped or misled")
    @_told
    def mark(
        ids: Annotated[list[str], Field(description="Ids of records shown here.", min_length=1)],
        verdict: Literal["cited", "helpful", "harmful"],
        note: Annotated[str, Field(description="A few words; kept in the vault.")] = "",
    ) -> str:
        """Note what records did in this session. Counts once for a record and session."""
        return tools.mark(ids, verdict, note)

    @tool(title="Say how following a recipe went")
    @_told
    def playbook_use(
        recipe_id: Annotated[str, Field(description="Id of the recipe or skill followed.")],
        ok: Annotated[bool, Field(description="Whether it led to what it promises.")],
        note: Annotated[str, Field(description="A few words; kept in the vault.")] = "",
    ) -> str:
        """Note a use of what was shown in this session. Counts once for a recipe and session."""
        return tools.used(recipe_id, ok=ok, note=note)


def _add_tasks(server: MCPServer[Any], tools: Tools) -> None:
    tool = functools.partial(server.tool, annotations=_ADDS, structured_output=False)

    @tool(title="Begin a task")
    @_told
    def task_start(
        goal: Annotated[str, Field(description="What is to be done.", min_length=1)],
        expected_result: Annotated[str, Field(description="What is to come of it.")] = "",
        ticket: Annotated[str, Field(description="Id of the ticket it serves.")] = "",
    ) -> str:
        """Begin a task before real work: what was shown so far is noted with it. Returns its id."""
        return tools.task_start(goal, expected_result, ticket)

    @tool(title="Note how far a task is")
    @_told
    def task_checkpoint(
        task_id: Ident,
        text: Annotated[str, Field(description="What would be lost otherwise.", min_length=1)],
    ) -> str:
        """Note in an open task what is done, and what was decided."""
        return tools.task_checkpoint(task_id, text)

    @tool(title="End a task")
    @_told
    def task_end(
        task_id: Ident,
        status: Literal["succeeded", "failed", "abandoned", "aborted"],
        result: Annotated[str, Field(description="How it came out.")] = "",
        cited: Annotated[list[str] | None, Field(description="Ids of records used in it.")] = None,
    ) -> str:
        """End a task; records that were shown and used get its outcome noted, once."""
        return tools.task_end(task_id, status, result, cited or ())


def _add_learning(server: MCPServer[Any], tools: Tools) -> None:
    tool = functools.partial(server.tool, annotations=_ADDS, structured_output=False)

    @tool(title="Reflect on work that ended")
    @_told
    def task_reflect(
        task_id: Annotated[str, Field(description="A task that ended.")] = "",
        answer: Annotated[
            str, Field(description="JSON or Markdown as the brief asks; empty: get the brief.")
        ] = "",
        run_id: Annotated[str, Field(description="Id of the run, as the brief says it.")] = "",
        mode: Annotated[
            Literal["", "task", "session", "turn", "threshold", "consolidate"],
            Field(description="What to reflect on, where it is no task."),
        ] = "",
        questions: Annotated[
            list[str] | None, Field(description="Your own, at most three; threshold needs them.")
        ] = None,
    ) -> str:
        """Get the brief of a reflection (decisions, what was in force, questions), then answer it.

        The answer is checked; what it proposes becomes candidates, which a person admits or not.
        """
        return tools.task_reflect(task_id, answer, run_id, mode, questions or ())

    @tool(title="Write candidates of what sessions may teach")
    @_told
    def distill(
        answer: Annotated[
            str, Field(description="JSON or Markdown as the brief asks; empty: get the brief.")
        ] = "",
    ) -> str:
        """Get what waits in the capture queue with what is near to it, then answer it."""
        return tools.distill(answer)


def _add_resources(server: MCPServer[Any], tools: Tools) -> None:
    @server.resource("mvault://block", title="What is in force", mime_type="text/markdown")
    @_read
    def block() -> str:
        """Return the block of what is in force."""
        return tools.context("", 0)

    @server.resource("mvault://memory/{id}", title="One record", mime_type="text/markdown")
    @_read
    def memory(id: str) -> str:  # noqa: A002 - the name in the address
        """Return one record with its front matter."""
        return tools.markdown(id)


def _told(tool: Callable[..., str]) -> Callable[..., str]:
    """Let the model read why a call failed; the SDK hides the words of any other error."""
    return _translated(tool, ToolError)


def _read(resource: Callable[..., str]) -> Callable[..., str]:
    return _translated(resource, ResourceError)


def _translated(function: Callable[..., str], kind: type[Exception]) -> Callable[..., str]:
    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> str:
        try:
            return function(*args, **given)
        except ToolFailure as error:
            raise kind(str(error)) from None

    return call

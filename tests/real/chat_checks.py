"""What holds for every program of `chat_session`, whatever its tools are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from real.chat_session import DONE, Machine, Session
from real.home import Turn

Shell = Callable[[str], Turn]


def stops_once_or_always(
    machine: Machine, argv: Sequence[str], shell: Shell, answers: Callable[[Session], list[str]]
) -> str:
    """See a warning stop the first call only, a refusal each; return the id of the second guard.

    Args:
        machine: with the program attached.
        argv: words before the prompt.
        shell: a call of the program's shell.
        answers: what tools said, in the last request of a session.
    """
    for name in ("deploy.sh", "migrate.sh"):
        (machine.project / name).write_text(f"echo {name} ran\n")
    machine.guard("Deploying by hand breaks the release", "sh deploy.sh", "warn")
    denies = machine.guard("不要直接迁移", "sh migrate.sh", "deny")
    deploy, migrate = "sh deploy.sh now", "sh migrate.sh all"
    script = [*map(shell, [deploy, deploy, migrate, migrate]), DONE]
    first, retry, *denied = answers(machine.run(script, *argv, "install and check").ok(5))
    assert "Deploying by hand breaks the release. Instead: make check" in first
    assert "deploy.sh ran" in retry
    assert len(denied) == 2
    for answer in denied:
        assert "不要直接迁移" in answer
        assert f"mvault guard off {denies} --for 1h" in answer
        assert "migrate.sh ran" not in answer
    return denies


def counts_failures(machine: Machine, argv: Sequence[str], shell: Shell) -> list[str]:
    """See what fails in three sessions be counted in both languages; return the lines of it."""
    for _ in range(3):
        script = [
            shell("echo 'TypeError: cannot read port' >&2; exit 3"),
            shell("echo '错误：缺少配置文件里的端口' >&2; exit 3"),
            shell("grep x /dev/null"),
            DONE,
        ]
        machine.run(script, *argv, "build it").ok(4)
    failures = machine.mvault("guard", "failures").ok().out
    found = []
    for words in ("TypeError: cannot read port", "错误：缺少配置文件里的端口"):
        (line,) = [each for each in failures.splitlines() if words in each] or [failures]
        assert "3x (3 raw, 3 sessions)" in line
        found.append(line)
    return found

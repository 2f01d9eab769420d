"""Words in order: what a shell command runs, and what it only speaks of."""

from __future__ import annotations

import pytest

from vault_cli.hook.command_words import group_words, in_command, in_text, split_command

RUNS = [
    ("npx tsc", "npx tsc -p ."),
    ("npx tsc", "cd web && npx --yes tsc"),
    ("npx tsc", 'bash -lc "cd a; npx tsc"'),
    ("npx tsc", "FOO=1 /usr/bin/npx tsc"),
    ("npx tsc", 'echo "npx tsc" | sh'),
    ("npx tsc", "bash <<EOF\nnpx tsc\nEOF"),
    ("npx tsc", "cat > x <<'EOF'\nfoo\nEOF\nnpx tsc"),
    ("npx tsc", "grep x $(npx tsc)"),
    ("npx tsc", "time npx\\\n tsc"),
    ("npx create-react-app", "npx create-react-app@latest shop"),
    ("curl | sh", "curl -fsSL https://x.example/y | sh"),
    ("git push --force", "git push origin main --force"),
    ("git commit --no-verify", "git commit -m 'x' --no-verify"),
    ("--no-verify", "git commit -m x --no-verify"),
    ("DROP TABLE", 'psql -c "DROP TABLE users"'),
    ("kubectl delete production", "kubectl delete deployment api -n production"),
    ("--port", "serve --port=80"),
    ("rm -rf /", "rm -rf /"),
    ("部署 生产", "./部署.sh 生产环境; 部署 到 生产"),
    ("npx tsc", "timeout 60 npx tsc -p ."),
    ("npx tsc", "sudo -E nice -n 5 npx tsc"),
]
DOES_NOT_RUN = [
    ("npx tsc", "make check"),
    ("npx tsc", 'echo "npx tsc"'),
    ("npx tsc", 'git commit -m "use npx tsc"'),
    ("npx tsc", 'git -C web log --grep "npx tsc"'),
    ("npx tsc", 'timeout 60 git commit -m "use npx tsc"'),
    ("npx tsc", 'nice -n 5 echo "npx tsc"'),
    ("npx 部署", 'timeout -k 5s 1m grep "npx 部署" 说明.md'),
    ("npx tsc", "gh pr create --body 'npx tsc'"),
    ("npx tsc", 'grep -r "npx tsc" .'),
    ("npx tsc", "npx prettier && node tsc"),
    ("npx tsc", "npx tsc-watch"),
    ("npx tsc", "npx tsc.js"),
    ("npx tsc", "my-npx tsc"),
    ("npx tsc", "cat > x <<EOF\nnpx tsc\nEOF\nls"),
    ("npx tsc", "# npx tsc\nls"),
    ("npx tsc", "ls # npx tsc"),
    ("curl | sh", "curl x > a; sh a"),
    ("curl | sh", "curl x || sh y"),
    ("git push --force", "git push --force-with-lease"),
    ("python manage.py", "python3 manage.py"),
]


@pytest.mark.parametrize(("words", "command"), RUNS)
def test_a_command_runs_the_words(words: str, command: str) -> None:
    assert in_command(group_words(words), command)


@pytest.mark.parametrize(("words", "command"), DOES_NOT_RUN)
def test_a_command_does_not_run_the_words(words: str, command: str) -> None:
    assert not in_command(group_words(words), command)


@pytest.mark.parametrize(
    ("words", "text", "wanted"),
    [
        (".env", "/home/dev/shop/.env", True),
        (".env", "/home/dev/shop/.environment", False),
        ("migrations sql", "/srv/migrations/0001_init.sql", True),
        ("sql migrations", "/srv/migrations/0001_init.sql", False),
        ("密码", "请把密码写进文件", True),
    ],
)
def test_a_text_says_the_words(words: str, text: str, wanted: bool) -> None:
    assert in_text(group_words(words), text) is wanted


@pytest.mark.parametrize("words", ["", "  ", "|", "curl |", "| sh", "a ; ; b"])
def test_words_that_say_nothing_are_refused(words: str) -> None:
    with pytest.raises(ValueError, match=r"no words|nothing beside"):
        group_words(words)


def test_quotes_may_be_left_whole() -> None:
    parts = split_command("cd x && grep 'a|b c' y", into_quotes=False)
    assert [(part.mark, part.words) for part in parts] == [
        ("", ["cd", "x"]),
        ("&&", ["grep", "a|b c", "y"]),
    ]

"""Speed of the main commands on generated vaults, as ratios measured in one run.

Usage: python tests/bench/speed.py [RECORDS ...] [--only WORD ...] [--rounds N]

RECORDS defaults to 1000 and 10000; 100000 takes some minutes. `--only list` prints the rows whose
name has the word (the names are listed by `--rows`). What a row needs beside it (`python -c pass`,
a plain `git add && git commit`) is measured in the same run. Nothing is asserted: the goals that
stand in the remarks are those of the design.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from measure import ROUNDS, Sample, bench_env, measure, mvault_command, print_head, print_row
from vaults import A_FOLDER, add_history, build_history, build_vault, git, write_files

Row = tuple[str, Sample, str]
FEW = 3
"""Rounds of what takes seconds."""

_READ = """
import os, sys
from pathlib import Path
from vault_cli.store.config import load_config
from vault_cli.store.reader import read_vault
from vault_cli.text.fields import read_record
root = Path(sys.argv[1])
config = load_config(root, environ=os.environ)
read_record(b"# What is loaded to read one file\\n\\nis start-up.\\n", "a.md")
if len(sys.argv) > 2:
    read_vault(root, config, whole=False)
"""
_UNSCANNED = f"""
import vault_cli.text.fields as fields
from vault_cli.text.remarks import Scan
fields.scan_document = lambda *_: Scan()
{_READ}
"""
_FRONTMATTER = """
import os, sys
import frontmatter
for folder, _, names in os.walk(sys.argv[1]) if len(sys.argv) > 1 else ():
    for name in names:
        if name.endswith(".md"):
            frontmatter.load(os.path.join(folder, name))
"""
_ADD = 'for i in 1 2 3 4 5 6; do "$@" add note --title "writer $0 step $i" --body "Text $0 $i" -q'
_LOCKED = (
    "for i in 1 2 3 4 5 6; do echo $0 $i > w-$0-$i.txt;"
    ' flock .git/bench.lock sh -c "git add w-$0-$i.txt && git commit -qm w -- w-$0-$i.txt"; done'
)
WRITERS = 8
STEPS = 6


class Bench:
    """One size: the vault, and what several rows are compared with."""

    def __init__(self, records: int, work: Path, rounds: int) -> None:
        self.records = records
        self.rounds = rounds
        self.work = work
        self.env = bench_env(work / "home")
        self.root = work / "vault"
        # In a process of its own: what it takes in memory would count as that of every child.
        maker = [sys.executable, str(Path(__file__).with_name("vaults.py"))]
        argv = [*maker, str(self.root), str(records)]
        done = subprocess.run(argv, env=self.env, check=True, capture_output=True, text=True)
        self.drafts = iter(done.stdout.split())
        self.first_draft = next(self.drafts)

    def run(
        self, *args: str, rounds: int = 0, before: Callable[[int], None] | None = None
    ) -> Sample:
        """Measure a command on the vault."""
        argv = mvault_command("--vault", str(self.root), *args)
        return measure(argv, env=self.env, rounds=rounds or self.rounds, prepare=before)

    def script(self, code: str, *args: str, before: Callable[[int], None] | None = None) -> Sample:
        """Measure a Python program in a process of its own."""
        argv = [sys.executable, "-c", code, *args]
        rounds = FEW if before is self.forget else self.rounds
        return measure(argv, env=self.env, rounds=rounds, prepare=before)

    def forget(self, _: int) -> None:
        """Take the cache away."""
        shutil.rmtree(self.root / ".state", ignore_errors=True)

    @cached_property
    def base(self) -> Sample:
        """`python -c pass`."""
        return measure([sys.executable, "-c", "pass"], env=self.env, rounds=2 * ROUNDS)

    @cached_property
    def warm_list(self) -> Sample:
        """`list` of an unchanged vault."""
        self.settle()
        return self.run("list")

    @cached_property
    def warm_render(self) -> Sample:
        """`render` of an unchanged vault."""
        self.settle()
        return self.run("render")

    @cached_property
    def cold_list(self) -> Sample:
        """`list` without a cache."""
        found = self.run("list", "--quiet", rounds=FEW, before=self.forget)
        self.settle()
        return found

    @cached_property
    def commit(self) -> Sample:
        """A shell `git add FILE && git commit` of one changed file in the same repository."""
        target = self.root / "plain.txt"
        script = "git add plain.txt && git commit -qm plain -- plain.txt"
        return measure(
            ["sh", "-c", script],
            cwd=self.root,
            env=self.env,
            rounds=self.rounds,
            prepare=lambda number: target.write_text(f"round {number}\n") and None,
        )

    def settle(self) -> None:
        """Let the cache be written, and once more when the stamps are old enough for it."""
        for _ in range(2):
            subprocess.run(
                mvault_command("--vault", str(self.root), "list"),
                env=self.env,
                check=True,
                capture_output=True,
            )
            time.sleep(2.2)


def difference(one: Sample, other: Sample) -> float:
    """Return the CPU seconds that one takes more."""
    return max(one.cpu - other.cpu, 0.0)


def interactive(bench: Bench) -> Iterator[Row]:
    """Commands that a person waits for, warm, without git work."""
    yield "list", bench.warm_list, "warm; goal 8"
    yield "show", bench.run("show", bench.first_draft), "warm; goal 8"
    plan = bench.run("--dry-run", "approve", bench.first_draft)
    yield "approve --dry-run", plan, "warm; goal 8"
    yield "render", bench.warm_render, "warm"
    yield "brief", bench.run("brief"), "warm"


def search(bench: Bench) -> Iterator[Row]:
    """Search, against what looks at the same files without an index."""
    bench.settle()
    found = bench.run("search", "retry", "镜像")
    folders = ("memories", "playbook", "drafts")
    beside = {
        name: [*name.split(), "retry|镜像"]
        for name in ("grep -rliE", "git grep --no-index -ilE", "rg -il")
    }
    words = ["warm; goal 9 at 10,000"]
    rows: list[Row] = []
    for name, argv in beside.items():
        if shutil.which(argv[0]):
            rounds = min(bench.rounds, FEW)
            other = measure([*argv, *folders], cwd=bench.root, env=bench.env, rounds=rounds)
            words.append(f"{found.cpu / other.cpu:.2f} x {name}")
            rows.append((name, other, "the same files"))
    yield "search", found, "; ".join(words)
    yield from rows


def approve(bench: Bench) -> Iterator[Row]:
    """One approval with its commit, and what it leaves in the object store."""
    bench.settle()
    before = _loose_kib(bench)
    done = measure(
        lambda _: mvault_command(
            "--vault", str(bench.root), "approve", next(bench.drafts), "--yes"
        ),
        env=bench.env,
        rounds=bench.rounds,
    )
    loose = (_loose_kib(bench) - before) / (bench.rounds + 1)
    goal = {1000: 1.6, 10_000: 0.8, 100_000: 0.3}.get(bench.records)
    told = f"; goal {goal}" if goal else ""
    ratio = done.cpu / bench.commit.cpu
    yield "git add && git commit", bench.commit, "one file, shell"
    yield "approve", done, f"{ratio:.2f} x git add && git commit{told}"
    yield "approve, loose objects", done, f"{loose:.0f} KiB a commit; goal 32"
    after = bench.run("list", before=lambda _: _approve_next(bench))
    yield "list after approve", after, f"{after.cpu / bench.warm_list.cpu:.2f} x list"


def _approve_next(bench: Bench) -> None:
    argv = mvault_command("--vault", str(bench.root), "approve", next(bench.drafts), "--yes")
    subprocess.run(argv, env=bench.env, check=True, capture_output=True)


def _loose_kib(bench: Bench) -> int:
    lines = git(bench.root, bench.env, "count-objects", "-v").splitlines()
    return int(dict(line.split(": ") for line in lines)["size"])


def bulk(bench: Bench) -> Iterator[Row]:
    """1,000 records in one change, against git alone with the same files."""
    root = bench.work / "bulk"
    build_vault(root, A_FOLDER, bench.env)
    names = [f"notes/{number:04d}.md" for number in range(A_FOLDER)]
    write_files(root, {name: f"# Note {name}\n\nWhat is known of {name}.\n" for name in names})
    git(root, bench.env, "add", "-A")
    git(root, bench.env, "commit", "-qm", "notes")
    start = git(root, bench.env, "rev-parse", "HEAD").strip()

    def restore(_: int) -> None:
        git(root, bench.env, "reset", "-q", "--hard", start)

    def change(number: int) -> None:
        restore(number)
        changed = {n: f"---\nid: n-{n[6:10]}\n---\n{(root / n).read_text()}" for n in names}
        write_files(root, changed)

    argv = mvault_command("--vault", str(root), "adopt", *names)
    adopted = measure(argv, cwd=root, env=bench.env, rounds=FEW, prepare=restore)
    script = ["sh", "-c", "git add -A && git commit -qm plain"]
    plain = measure(script, cwd=root, env=bench.env, rounds=FEW, prepare=change)
    yield "1,000 records in one change", adopted, f"{adopted.cpu / plain.cpu:.2f} x git; goal 0.8"
    yield "git add -A && git commit", plain, "the same 1,000 files"


def writers(bench: Bench) -> Iterator[Row]:
    """8 processes that write at once, against a lock around add and commit."""
    count = WRITERS * STEPS
    before = int(git(bench.root, bench.env, "rev-list", "--count", "HEAD"))
    command = mvault_command("--vault", str(bench.root))
    ours = _at_once(
        bench, [["sh", "-c", f"{_ADD}; done", str(n), *command] for n in range(WRITERS)]
    )
    made = int(git(bench.root, bench.env, "rev-list", "--count", "HEAD")) - before
    plain = _at_once(bench, [["sh", "-c", _LOCKED, str(n)] for n in range(WRITERS)])
    rate = f"{count / ours.wall:.1f} commits/s, {plain.wall / ours.wall:.2f} x lock + add + commit"
    words = f"{count - made} lost; a process each; {rate}; goal 3"
    yield "8 writers at once", ours, words
    yield "8 x lock, git add, git commit", plain, f"{count / plain.wall:.1f} commits/s"


def _at_once(bench: Bench, commands: Sequence[Sequence[str]]) -> Sample:
    """Start all commands; return the CPU and wall time until the last one ends."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    running = [
        subprocess.Popen(
            argv, cwd=bench.root, env=bench.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        for argv in commands
    ]
    failed = [p.communicate()[1].decode() for p in running]
    wall = time.perf_counter() - start
    if any(p.returncode for p in running):
        raise SystemExit(f"a writer failed: {failed}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Sample(cpu, wall, cpu, cpu)


def first_index(bench: Bench) -> Iterator[Row]:
    """The first index of a vault, against parsing the same files with python-frontmatter."""
    bare = bench.script(_FRONTMATTER)
    parse = bench.script(_FRONTMATTER, str(bench.root))
    ours = bench.script(_READ, str(bench.root), "read", before=bench.forget)
    started = bench.script(_READ, str(bench.root))
    ratio = difference(ours, started) / difference(parse, bare)
    apart = bench.script(_UNSCANNED, str(bench.root), "read", before=bench.forget)
    begun = bench.script(_UNSCANNED, str(bench.root))
    other = difference(apart, begun) / difference(parse, bare)
    yield "first index", ours, f"{ratio:.2f} x python-frontmatter, start-up apart; goal 2.0"
    yield "first index, no admission", apart, f"{other:.2f} x python-frontmatter, start-up apart"
    yield "python-frontmatter", parse, "every file"
    yield "list, cache missing", bench.cold_list, "first index and all else"


def refresh(bench: Bench) -> Iterator[Row]:
    """A read after one file was changed, against `git status`."""
    bench.settle()
    target = next((bench.root / "memories").rglob("*.md"))
    text = target.read_text(encoding="utf-8")

    def edit(number: int) -> None:
        target.write_text(f"{text}\nRound {number}.\n", encoding="utf-8")

    started = bench.script(_READ, str(bench.root))
    read = bench.script(_READ, str(bench.root), "read", before=edit)
    status = measure(
        ["git", "status", "--porcelain"],
        cwd=bench.root,
        env=bench.env,
        rounds=bench.rounds,
        prepare=edit,
    )
    target.write_text(text, encoding="utf-8")
    ratio = difference(read, started) / status.cpu
    yield "refresh, 1 changed", read, f"{ratio:.2f} x git status, start-up apart; goal 1.8"
    yield "git status", status, "1 changed"


def history(bench: Bench) -> Iterator[Row]:
    """The history of one record, with and without changed-path filters."""
    root = bench.work / "history"
    record_id = build_history(root, bench.records, bench.env)
    argv = mvault_command("--vault", str(root), "log", record_id)
    plain = measure(argv, env=bench.env, rounds=bench.rounds)
    git(root, bench.env, "commit-graph", "write", "--reachable", "--changed-paths")
    quick = measure(argv, env=bench.env, rounds=bench.rounds)
    yield "log ID", plain, f"{bench.records} commits, no filters"
    yield "log ID, filters", quick, f"{quick.cpu / plain.cpu:.2f} x without; goal 0.15 at 100,000"


def past(bench: Bench) -> Iterator[Row]:
    """Commands that look at a past commit, next to the plain ones."""
    add_history(bench.root, bench.env)
    for name in ("warm_list", "warm_render", "cold_list"):
        bench.__dict__.pop(name, None)
    near, old = (
        ("list", "--quiet", "--known-at", "HEAD~1"),
        ("render", "--quiet", "--known-at", "HEAD~2"),
    )

    def forget_past(number: int) -> None:
        bench.forget(number)
        bench.run("list", rounds=1)

    measured = (
        (near, bench.forget, bench.cold_list, "cache missing; {:.2f} x list, cache missing"),
        (near, forget_past, bench.cold_list, "only files cached; {:.2f} x list, cache missing"),
        (near, None, bench.warm_list, "warm; {:.2f} x list"),
        (old, bench.forget, bench.cold_list, "cache missing; {:.2f} x list, cache missing"),
        (old, None, bench.warm_render, "warm, a tenth differs; {:.2f} x render"),
    )
    for argv, before, beside, words in measured:
        sample = bench.run(*argv, rounds=FEW if before else 0, before=before)
        yield f"{argv[0]} {' '.join(argv[2:])}", sample, words.format(sample.cpu / beside.cpu)


def size(bench: Bench) -> Iterator[Row]:
    """The bytes that an installation without extras takes."""
    from importlib.metadata import PackageNotFoundError, distribution, requires

    waiting, found = ["mvault"], dict[str, int]()
    while waiting:
        name = waiting.pop()
        try:
            files = distribution(name).files or ()
        except PackageNotFoundError:
            continue
        if name.lower() not in found:
            places = (Path(str(file.locate())) for file in files)
            found[name.lower()] = sum(p.stat().st_size for p in places if p.is_file())
            needed = [text for text in requires(name) or () if "extra ==" not in text]
            waiting += [_package_of(text) for text in needed]
    yield (
        "installed size",
        bench.base,
        f"{sum(found.values()) / 1e6:.1f} MB of {len(found)}; goal 25",
    )


def _package_of(requirement: str) -> str:
    return next(
        requirement[:place] for place, char in enumerate(requirement + " ") if char in " <>=!~;[("
    )


ROWS: dict[str, Callable[[Bench], Iterator[Row]]] = {
    "list show approve-plan render brief interactive": interactive,
    "search grep": search,
    "approve commit loose": approve,
    "bulk 1,000": bulk,
    "writers": writers,
    "first index frontmatter": first_index,
    "refresh status": refresh,
    "history log": history,
    "past known-at": past,
    "installed size": size,
}
"""What can be asked for by `--only`, in the order of the table; `past` changes the vault."""


def main() -> None:
    """Run every size given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("records", nargs="*", type=int, default=[1000, 10_000])
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--rows", action="store_true", help="list the names of the rows")
    asked = parser.parse_args()
    if asked.rows:
        print("\n".join(ROWS))
        return
    chosen = [
        function
        for name, function in ROWS.items()
        if not asked.only or any(word in name.split() for word in asked.only)
    ]
    if not chosen:
        parser.error(f"no row is called {' or '.join(asked.only)}")
    for records in asked.records:
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(records, Path(folder), asked.rounds)
            load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
            print_head(f"{records} records (load average {load:.1f} on {os.cpu_count()} CPUs)")
            print_row("python -c pass", bench.base, "", bench.base)
            for function in chosen:
                for row in function(bench):
                    print_row(*row, bench.base)


if __name__ == "__main__":
    main()

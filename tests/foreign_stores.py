"""Real stores of other programs, built from 07-import-formats: what the importers must read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HASH = "sha256:" + "ab" * 32
IDS = tuple(f"{n:08x}-1111-4222-8333-{n:012x}" for n in range(1, 10))


def expmem_record(number: int, **more: Any) -> dict[str, Any]:
    return {
        "schemaVersion": 1,
        "id": IDS[number],
        "kind": "experience",
        "title": "Retries hide the real error",
        "content": "The client retries five times and the first error is lost.\n\nRead the first log line.",
        "tags": ["http", "retry"],
        "status": "candidate",
        "authoredBy": {"kind": "agent", "id": "main"},
        "evidence": [],
        "importance": 6,
        "lastAccessedAt": 1785859464602,
        "createdAt": 1785859464602,
        "updatedAt": 1785859999000,
        **more,
    }


def expmem(root: Path, home: Path) -> Path:
    """A v1 archive with all four kinds of evidence, a 0.2.x record, a tombstone and a run."""
    records = [
        expmem_record(0),
        expmem_record(
            1,
            kind="habit",
            title="提交前先跑测试",
            content="在这个仓库里，提交前总是先运行测试。",
            tags=["测试"],
            status="verified",
            authoredBy={"kind": "user"},
            workspace=str(home / "src" / "网站"),
            claimedAt=1785800000000,
            evidenceText="用户在会话中确认。",
            evidence=[
                {
                    "id": "s1",
                    "kind": "session-event",
                    "sessionId": "7f3a",
                    "startSeq": 3,
                    "endSeq": 9,
                    "observedAt": 1785859464602,
                },
                {
                    "id": "f1",
                    "kind": "imported-file",
                    "provider": "claude",
                    "path": str(home / "notes" / "a.md"),
                    "sha256": HASH,
                    "observedAt": 1785859464000,
                },
            ],
            verification={
                "actor": {"kind": "user"},
                "method": "user-confirmation",
                "evidenceIds": ["s1"],
                "verifiedAt": 1785859464602,
            },
            supersedes=[IDS[2]],
        ),
        expmem_record(
            2,
            kind="habit",
            title="测试在推送后运行",
            content="测试在推送之后由服务器运行。",
            tags=[],
            status="superseded",
            conflictsWith=[IDS[1]],
            evidence=[
                {
                    "id": "u1",
                    "kind": "external-uri",
                    "uri": "https://example.invalid/a",
                    "capturedTextSha256": HASH,
                    "observedAt": 1785859464000,
                },
                {
                    "id": "half",
                    "kind": "session-event",
                    "sessionId": "7f3a",
                    "observedAt": 1785859464000,
                },
                {
                    "id": "r1",
                    "kind": "review-report",
                    "schemaVersion": "review-report@1",
                    "reportId": "rep-1",
                    "location": "reports/1.json",
                    "sha256": HASH,
                    "targetSha256": HASH,
                    "observedAt": 1785859464000,
                },
            ],
        ),
        expmem_record(
            3,
            kind="insight",
            title="Logs before retries",
            content="Whoever reads the log first needs no retries.",
            tags=["http"],
            reflection={
                "question": "What repeats?",
                "sourceMemoryIds": [IDS[0]],
                "runId": IDS[8],
                "questionId": "q1",
            },
        ),
    ]
    for record in records:
        put(root / "archive" / record["kind"] / f"{record['id']}.json", record)
    old = {
        "version": 1,
        "id": IDS[4],
        "kind": "experience",
        "title": "Old note",
        "content": "From the first version, with a path C:\\new.",
        "tags": ["imported"],
        "importedFrom": {
            "provider": "codex",
            "path": str(home / ".codex/memories/a.md"),
            "sha256": "cd" * 32,
        },
        "sourceSession": "old-1",
        "createdAt": 1770000000000,
        "updatedAt": 1770000000000,
    }
    put(root / "archive" / "experience" / f"{IDS[4]}.json", old)
    tomb = {
        "schemaVersion": 1,
        "id": IDS[5],
        "kind": "habit",
        "deletedAt": 1785859464602,
        "reasonCode": "privacy",
    }
    put(root / "archive" / "tombstones" / f"{IDS[5]}.json", tomb)
    put(
        root / "reflection-runs" / f"{IDS[8]}.json",
        {"schemaVersion": "reflection-run@1", "id": IDS[8]},
    )
    (root / "recall-index.sqlite").write_bytes(b"SQLite format 3\0")
    return root


def put(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


ERROR_FILES: Mapping[str, str] = {
    "memory/lessons.md": "# Lessons\n\n<!-- format: v1 -->\n\n"
    "## lesson-20261101120000-a1b2c3\n- title: Quote paths on Windows\n- kind: lesson\n"
    "- applies_when: running a command in PowerShell\n- mistake: Passed C:\\\\new without quotes.\\nIt became a line break.\n"
    "- prevention: Quote every path.\n- keywords: powershell, 路径\n- confirmed: true\n- maturity: validated\n- hits: 3\n"
    "- created: 2026-11-01T12:00:00Z\n- evidence: session 7f3a\n\n"
    "## lesson-20261102120000-d4e5f6\n- title: 不要直接推送主分支\n- mistake: 直接推送到 main。\n"
    "- prevention: 先开分支，再合并。\n- enabled: false\n- supersedes: lesson-20261101120000-a1b2c3\nunknown line\n"
    "- shade: blue\n\n## lesson-without-title\n- mistake: Something.\n",
    "memory/recipes.md": "# Recipes\n\n<!-- format: v1 -->\n\n## recipe-1\n- title: Rotate the deploy key\n- kind: recipe\n"
    "- problem: The key is old.\n- solution: 1. Make a new one.\\n2. Replace it.\n- hits: 5\n- maturity: core\n",
    "memory/decisions.md": "# Decisions\n\n<!-- format: v1 -->\n\n## decision-reject-lesson-9\n- title: Retrying helps\n- problem: Nobody measured it.\n",
    "memory/drafts/lesson-20261103120000-zzzzzz.md": "<!-- draft-kind: lesson; from: distillation; created: 2026-11-03T12:00:00Z -->\n"
    "## lesson-20261103120000-zzzzzz\n- title: Read the log first\n- mistake: Guessed at the cause.\n- prevention: Read the log.\n",
    "memory/candidates.jsonl": '{"v":1,"ts":1,"kind":"correction","cwd":"/w","origin":"x","text":"no, wrong","detail":""}\n',
    "state.json": '{"version":2,"errors":{},"promotions":[],"distill":{"watermark":10}}',
}

SELF_FILES: Mapping[str, str] = {
    "memory/facts.md": "# Facts\n\n## deploy @ 2026-11-01T08:00:00Z\n"
    "- [2026-11-01T08:00:00Z] (fact) The staging host is behind a proxy {imp:6,src:user,origin:tool,uses:3}\n"
    "- [2026-11-01T09:00:00Z] (preference) 回答要简短 {imp:8,src:user}\n"
    "- [2026-10-01T09:00:00Z] (fact) The queue holds ten jobs {imp:5,invalid:2026-11-20T00:00:00Z}\n",
    "memory/lessons.md": "# Lessons\n\n## ci @ 2026-11-02T08:00:00Z\n"
    "- [2026-11-02T08:00:00Z] (lesson) Cache keys need the lock file {imp:7,src:agent,why:two stale builds}\n"
    "- [2026-11-02T08:00:00Z] (lesson) Use {braces} in templates\nbroken line\n",
    "memory/methods.md": "# Methods\n\n## git @ 2026-11-02T08:00:00Z\n- [2026-11-02T08:00:00Z] (method) Bisect with a script, then read the commit {imp:6}\n",
    "memory/resources.md": "# Resources\n\n## docs @ 2026-11-02T08:00:00Z\n- [2026-11-02T08:00:00Z] (resource) https://example.invalid/handbook is the handbook {origin:web}\n",
    "memory/principles.md": "# Principles\n\n- Small steps are easier to take back.\n- 先读后写。\n",
    "memory/hypotheses.md": "# Hypotheses\n\nThe slow tests are slow because of DNS.\n",
    "memory/quarantine/20261101-1.md": "held back there\n",
    "logs/session-1.md": "a log\n",
    "playbooks/release.md": "---\nslug: release\nuses: 4\nsuccesses: 3\nfails: 1\nverified_at: 2026-11-01T00:00:00Z\n---\n# Release\n\n## Steps\n1. Tag.\n2. Push.\n",
    "proposals/proposal-1.md": "propose\n",
    "proposals/status.json": '{"1":{"status":"pending"}}',
}


def write_all(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return root

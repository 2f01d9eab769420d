"""The spool: every whole frame comes back, whatever else lies in the file."""

from __future__ import annotations

import json
import random
import stat
from pathlib import Path

import pytest

from vault_cli.hook import frames, spool
from vault_cli.hook.state import spare_folder

HEADER = (1_700_000_000, "codex", "post-tool")


def read_all(path: str | Path) -> tuple[list[frames.Frame], int]:
    reader = spool.read(str(path))
    return list(reader), reader.damaged


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1}',
        b'{\n  "a": "\xe6\xb5\x8b\xe8\xaf\x95"\r\n}\n',
        b"",
        b"\x00\xff\xfe not utf-8 \x00",
        b"no json\nmv1 1 codex prompt 5 3610a686\nhello\n",
        b'{"prompt":"ends in a header mv1 1 codex prompt 5 3610a686"}',
    ],
)
def test_what_goes_in_comes_out(tmp_path: Path, raw: bytes) -> None:
    for _ in range(2):
        path = spool.append(str(tmp_path), HEADER, raw)

    found, damaged = read_all(path)
    kept = raw.replace(b"\r", b" ").replace(b"\n", b" ")
    assert found == [frames.Frame(*HEADER, kept, False)] * 2
    assert damaged == 0
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "hook").stat().st_mode) == 0o700


def test_json_means_the_same_with_its_line_ends_as_spaces(tmp_path: Path) -> None:
    data = {"tool_input": {"command": "echo '一'\nls"}, "list": [1, 2.5, None]}
    path = spool.append(str(tmp_path), HEADER, json.dumps(data, indent=1).encode())

    assert json.loads(read_all(path)[0][0].raw) == data


def test_a_long_text_is_shortened_and_the_payload_stays_json(tmp_path: Path) -> None:
    data = {
        "session_id": "s",
        "tool_response": {"stdout": "start " + "长" * 2_000_000 + " end"},
        "transcript_path": "/t.jsonl",
    }
    path = spool.append(str(tmp_path), HEADER, json.dumps(data).encode())
    frame = read_all(path)[0][0]
    kept = json.loads(frame.raw)

    assert frame.is_cut
    assert len(frame.raw) <= spool.MAX_PAYLOAD
    assert kept["transcript_path"] == "/t.jsonl"
    assert kept["tool_response"]["stdout"].startswith("start 长")
    assert kept["tool_response"]["stdout"].endswith(" end")


@pytest.mark.parametrize("raw", [b"x" * 5_000_000, b"[" * 400_000, b'{"a":' * 200_000])
def test_what_is_no_json_is_cut_off(tmp_path: Path, raw: bytes) -> None:
    frame = read_all(spool.append(str(tmp_path), HEADER, raw))[0][0]

    assert frame.is_cut
    assert frame.raw == raw[: spool.MAX_PAYLOAD]


def test_a_torn_frame_costs_only_itself(tmp_path: Path) -> None:
    """As after a kill in the middle of a write, wherever it was."""
    payloads = [b'{"n":1}', b'{"n":"mv1 1 codex prompt 3 00000000"}', b'{"n":3}']
    whole = []
    for raw in payloads:
        place = tmp_path / raw.hex()[:12]
        whole.append(Path(spool.append(str(place), HEADER, raw)).read_bytes())
    for cut in range(1, len(whole[1])):
        file = tmp_path / "torn"
        file.write_bytes(whole[0] + whole[1][:cut] + whole[2])
        found, damaged = read_all(file)
        assert [frame.raw for frame in found] == [payloads[0], payloads[2]], cut
        assert damaged >= 1


def test_a_changed_byte_never_gives_a_changed_payload(tmp_path: Path) -> None:
    dice = random.Random(5)
    raws = [json.dumps({"n": n, "text": "测试" * n}).encode() for n in range(20)]
    for raw in raws:
        path = spool.append(str(tmp_path), HEADER, raw)
    data = Path(path).read_bytes()
    for _ in range(300):
        place = dice.randrange(len(data))
        changed = bytearray(data)
        changed[place] ^= 1 << dice.randrange(8)
        file = tmp_path / "changed"
        file.write_bytes(changed)
        found, damaged = read_all(file)
        assert {frame.raw for frame in found} <= set(raws)
        assert len(found) >= len(raws) - 2
        assert damaged or len(found) == len(raws)


def test_a_spool_that_nobody_folds_ends_somewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "MAX_SPOOL", 2_000)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "spare"))
    for _ in range(13):
        path = spool.append(str(tmp_path), HEADER, b"x" * 100)
    with pytest.raises(OSError, match="full"):
        spool.append(str(tmp_path), HEADER, b"x" * 100)

    assert len(read_all(path)[0]) == 13
    assert not (tmp_path / "spare").exists()


def test_where_the_state_cannot_be_written_the_spare_folder_takes_it(tmp_path: Path) -> None:
    file = tmp_path / "a-file"
    file.write_text("")
    path = spool.append(str(file / "state"), HEADER, b"{}")

    assert path == str(Path(spare_folder(str(file / "state"))) / "spool" / "events.bin")
    assert spool.is_spare(str(file / "state"), path)
    assert not spool.is_spare(str(file / "other"), path)
    assert spool.spools(str(file / "other")) == []
    assert spool.spools(str(file / "state")) == [path]
    assert stat.S_IMODE(Path(spare_folder(str(file / "state"))).stat().st_mode) == 0o700


@pytest.mark.parametrize("which", ["folder", "spool", "file"])
def test_a_link_in_the_spare_folder_is_not_followed(tmp_path: Path, which: str) -> None:
    """The folder for temporary files is everybody's: what lies there may be a trap."""
    target = tmp_path / "target"
    target.mkdir()
    spare = Path(spare_folder("/proc/nothing"))
    if which == "folder":
        spare.symlink_to(target)
    else:
        spare.mkdir(mode=0o700)
        if which == "spool":
            (spare / "spool").symlink_to(target)
        else:
            (spare / "spool").mkdir(mode=0o700)
            (spare / "spool" / "events.bin").symlink_to(target / "stolen")
    with pytest.raises(OSError):
        spool.append("/proc/nothing", HEADER, b"{}")

    assert list(target.iterdir()) == []

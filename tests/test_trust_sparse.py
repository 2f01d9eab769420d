"""What git was told to leave out of the work tree is said, and takes no admitted rule out of force."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import checked, git, rendered, run
from test_trust_incoming import ONE, TWO, Pair


def by_rules(root: Path) -> None:
    git(root, "sparse-checkout", "set", "--no-cone", "/*", f"!/{ONE}")


def by_flag(root: Path) -> None:
    git(root, "update-index", "--skip-worktree", ONE)
    (root / ONE).unlink()


def by_cone(root: Path) -> None:
    git(root, "sparse-checkout", "set", "usage")


@pytest.mark.parametrize("act", [by_rules, by_flag, by_cone])
@pytest.mark.parametrize("policy", ["review", "accept"])
def test_a_rule_outside_the_checkout_is_named(tmp_path: Path, policy: str, act: object) -> None:
    pair = Pair(tmp_path)
    pair.trust(policy)
    assert "先问再部署" in rendered(pair.mine)
    act(pair.mine)  # type: ignore[operator]
    for command in ("render", "brief", "status", "list"):
        assert ONE in run("--vault", pair.mine, command).ok().text, command
    assert "sparse-checkout" in {item["code"] for item in checked(pair.mine)}
    if policy == "review":  # the admitted text counts until a person looks
        assert "没有例外。" in rendered(pair.mine)


def test_a_hand_edit_beside_it_still_counts(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    pair.trust()
    by_rules(pair.mine)
    with (pair.mine / TWO).open("a") as file:
        file.write("再加一句。\n")
    assert "再加一句。" in rendered(pair.mine)

"""Which records in force count as signed. May import `store`, `model`, `errors`.

What a commit has at each path, and what the signature of the commit that made it is worth, stays
the same as long as HEAD and the allowed keys do: it is kept in the person's state folder, unless a
GPG key ring had a say in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vault_cli.errors import StoreError
from vault_cli.model.record import Record
from vault_cli.store.lineage import last_deeds, read_lineage, text_digests
from vault_cli.store.own_state import path_key, read_state, write_state
from vault_cli.store.signatures import Checker, Signature, check_commits, is_stable, make_checker

if TYPE_CHECKING:
    from vault_cli.store.repo import Repository

UNCOMMITTED: Final = "not committed"
CHANGED: Final = "changed since it was signed"
SHALLOW: Final = "history is cut off here (shallow clone)"


class Proof(NamedTuple):
    """What a commit holds at the path of a record.

    Args:
        digest: SHA-256 of the text; `crlf`: of the text as a checkout with CRLF has it.
        reason: why it does not count as signed, "" when it does.
    """

    digest: str
    crlf: str
    reason: str

    def judge(self, digest: str) -> str:
        """Return why the text with this digest does not count, "" when it does."""
        if digest in {self.digest, self.crlf}:
            return self.reason
        return UNCOMMITTED if self.reason else CHANGED


def signed_reasons(
    repo: Repository, named: str, records: Iterable[Record], commit: str = ""
) -> dict[str, str]:
    """Return why records in force do not count as signed, by path; of those that do there is none.

    Args:
        repo: the repository.
        named: setting `trust.allowed_signers`.
        records: what is judged; the digests tell whether a file is what the commit has.
        commit: where history begins, "" for HEAD.

    Raises:
        UsageError: the file of allowed keys cannot be used. StoreError: git failed.
    """
    wanted = {record.path: record for record in records if record.has_effect}
    checker = make_checker(repo.git, repo.read_settings(), named)
    start = commit or repo.head()
    proofs = _load(repo, start, checker)
    if not wanted.keys() <= proofs.keys():
        proofs = _prove(repo, start, checker, wanted)
    reasons = {}
    for path, record in wanted.items():
        proof = proofs.get(path)
        reason = proof.judge(record.digest) if proof else UNCOMMITTED
        if reason:
            reasons[path] = reason
    return reasons


def unsigned_paths(
    repo: Repository, named: str, commit: str, paths: Iterable[str]
) -> frozenset[str]:
    """Return the vault paths of which no allowed key signed what a commit has, or has not, there.

    Raises:
        UsageError: the file of allowed keys cannot be used. StoreError: git failed.
    """
    start = f"{repo.prefix}/" if repo.prefix else ""
    places = {start + path: path for path in paths}
    deeds = last_deeds(repo.git, repo.prefix, commit, places)
    checker = make_checker(repo.git, repo.read_settings(), named)
    made = (name for claims in deeds.values() for claim in claims for name in claim)
    signatures = check_commits(repo.git, checker, made)
    return frozenset(
        path for place, path in places.items() if not good_claim(deeds.get(place, ()), signatures)
    )


def good_claim(
    claims: Iterable[tuple[str, ...]], signatures: Mapping[str, Signature]
) -> tuple[str, ...]:
    """Return the first of some claims (see `last_deeds`) that is signed throughout, else ()."""
    signed = (claim for claim in claims if not any(signatures[name].reason for name in claim))
    return next(signed, ())


def _prove(
    repo: Repository, start: str, checker: Checker, wanted: Iterable[str]
) -> dict[str, Proof]:
    lineage = read_lineage(repo.git, repo.prefix, start, wanted, whole=False)
    made = {path: a.versions[0].deed.id for path, a in lineage.ancestries.items() if a.versions}
    claims = {
        path: ((made[path], *a.chosen_by), *a.others)
        for path, a in lineage.ancestries.items()
        if path in made
    }
    signatures = check_commits(
        repo.git, checker, (name for found in claims.values() for claim in found for name in claim)
    )
    digests = text_digests(repo.git, lineage.blobs)
    proofs = {path: Proof("", "", UNCOMMITTED) for path in wanted}
    for path, found in lineage.ancestries.items():
        if found.brought_back:
            reason = CHANGED
        elif path not in made:
            reason = CHANGED if found.whole else SHALLOW
        elif good_claim(claims[path], signatures):
            reason = ""
        else:
            reason = signatures[made[path]].reason or CHANGED
        proofs[path] = Proof(*digests[path], reason)
    if start == repo.head() and all(map(is_stable, signatures.values())):
        _store(repo, start, checker, proofs)
    return proofs


def _name(repo: Repository) -> str:
    return path_key(os.path.realpath(repo.root))


def _load(repo: Repository, start: str, checker: Checker) -> dict[str, Proof]:
    data = read_state("signed", _name(repo))
    paths: Mapping[str, Any] = data.get("paths", {})
    if data.get("commit") != start or data.get("basis") != checker.basis:
        return {}
    return {
        path: Proof(*map(str, row)) for path, row in paths.items() if len(row) == len(Proof._fields)
    }


def _store(repo: Repository, start: str, checker: Checker, proofs: Mapping[str, Proof]) -> None:
    if any(proof.reason == SHALLOW for proof in proofs.values()):  # more may be fetched
        return
    rows = {path: list(proof) for path, proof in proofs.items()}
    data = {"commit": start, "basis": checker.basis, "paths": rows}
    with suppress(StoreError):  # then it is worked out again next time
        write_state("signed", _name(repo), data)

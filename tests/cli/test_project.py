"""The project and the branch of a working directory, read without git."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from helpers import git
from hypothesis import given
from hypothesis import strategies as st

from vault_cli.cli.project import find_branch, named_project, normal_url, project_id, read_remotes
from vault_cli.errors import UsageError

SAME = [
    "https://github.com/acme/web",
    "https://github.com/acme/web.git",
    "https://github.com/acme/web/",
    "https://github.com/acme/web.git/",
    "HTTPS://GitHub.com/acme/web.git",
    "http://github.com:80/acme/web",
    "https://user:secret@GitHub.com:443/acme/web/",
    "https://user:p@ss@github.com/acme/web.git",
    "https://x-access-token:abc@github.com/acme/web?private=abc#abc",
    "git://github.com/acme/web.git",
    "git@github.com:acme/web.git",
    "git@GITHUB.com:acme/web",
    "github.com:acme/web",
    "git@github.com:/acme/web.git",
    "[git@github.com:22]:acme/web.git",
    "ssh://git@github.com/acme/web",
    "SSH://git@github.com:2222/acme/web.git",
    "git+ssh://git@github.com/acme/web",
    "ssh://git@ssh.github.com:443/acme/web.git",
    "https://github.com./acme//web",
    "https://github.com/acme%2Fweb",
    " https://github.com/acme/web ",
]
NONE = [
    "",
    "/srv/git/web.git",
    "../other",
    "./web",
    "~/web",
    "C:\\code\\web",
    "C:/code/web",
    "c:web",
    "\\\\server\\share\\web",
    "file:///srv/git/web.git",
    "ext::sh -c 'touch x'",
    "helper::https://github.com/acme/web",
    "https://github.com/",
    "https:///acme/web",
    "https://github.com/../../etc/passwd",
    "https://github.com/%2e%2e/web",
    "https://user:12/3@github.com/acme/web",
    "https://github.com/a b/web",
    "https://github.com/acme/w\x1b[31mb",
    "https://github.com/acme\u202e/web",
    "git@github.com:" + "a/" * 200 + "web",
]


@pytest.mark.parametrize("url", SAME)
def test_the_spellings_of_a_remote_are_one_project(url: str) -> None:
    assert normal_url(url) == "github.com/acme/web"


@pytest.mark.parametrize("url", NONE)
def test_what_is_no_address_is_no_project(url: str) -> None:
    assert normal_url(url) == ""


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("ssh://git@gitlab.example.com:2222/group/sub/web", "gitlab.example.com/group/sub/web"),
        ("https://gitee.com/团队/网站.git", "gitee.com/团队/网站"),
        ("git@git.sr.ht:~ana/web", "git.sr.ht/~ana/web"),
        ("https://host.example/Acme/Web", "host.example/Acme/Web"),
        ("ssh://git@[2001:DB8::1]:22/acme/web", "[2001:db8::1]/acme/web"),
        ("git@[2001:db8::1]:acme/web", "[2001:db8::1]/acme/web"),
        ("git@ssh.dev.azure.com:v3/org/proj/repo", "dev.azure.com/org/proj/repo"),
        ("https://org@dev.azure.com/org/proj/_git/repo", "dev.azure.com/org/proj/repo"),
        ("https://host.example/web", "host.example/web"),
    ],
)
def test_other_hosts(url: str, wanted: str) -> None:
    assert normal_url(url) == wanted


word = st.text(string.ascii_letters + string.digits + "-_", min_size=8, max_size=12)


@given(word, word, word, word, st.sampled_from(["https", "ssh", "http"]), st.integers(1, 65535))
def test_nobody_s_name_or_password_is_in_a_project(
    user: str, password: str, owner: str, name: str, scheme: str, port: int
) -> None:
    url = f"{scheme}://{user}~:{password}~@host.example:{port}/{owner}/{name}.git"
    assert normal_url(url) == f"host.example/{owner}/{name}"
    assert normal_url(f"{user}~@host.example:{owner}/{name}") == f"host.example/{owner}/{name}"


@given(st.text(max_size=80))
def test_any_text_gives_a_harmless_name_or_none(text: str) -> None:
    for wild in (text, f"https://{text}", f"git@host:{text}", f"ssh://{text}/web"):
        found = normal_url(wild)
        parts = found.split("/")
        assert found == "" or (len(parts) > 1 and all(parts) and found.isprintable())
        assert not {"..", "."} & set(parts)
        assert not {"@", "\\", " "} & set(found)


def project(tmp_path: Path, url: str = "git@github.com:acme/web.git", name: str = "web") -> Path:
    place = tmp_path / name
    git(tmp_path, "init", "-q", str(place))
    if url:
        git(place, "remote", "add", "origin", url)
    git(place, "commit", "-q", "--allow-empty", "-m", "one")
    return place


def test_checkout_worktree_and_vault(tmp_path: Path) -> None:
    place = project(tmp_path)
    (place / "src").mkdir()
    git(place, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    vault = tmp_path / "vault"
    assert project_id(place / "src", vault) == "github.com/acme/web"
    assert project_id(tmp_path / "side", vault) == "github.com/acme/web"
    assert project_id(place, place) == ""
    assert project_id(tmp_path, vault) == ""


def test_a_project_vault_with_a_repository_of_its_own_belongs_to_the_project(
    tmp_path: Path,
) -> None:
    place = project(tmp_path)
    vault = place / ".mvault"
    git(tmp_path, "init", "-q", str(vault))
    assert project_id(vault, vault) == "github.com/acme/web"
    assert project_id(place, vault) == "github.com/acme/web"


def test_a_submodule_is_part_of_the_project_that_holds_it(tmp_path: Path) -> None:
    library = project(tmp_path, "https://github.com/acme/lib", "lib")
    place = project(tmp_path)
    git(place, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    vault = place / ".mvault"
    assert project_id(place / "lib", vault) == "github.com/acme/web"
    assert project_id(library, vault) == "github.com/acme/lib"
    assert find_branch(place / "lib", vault) == find_branch(place, vault) != ""


def test_which_remote_counts(tmp_path: Path) -> None:
    place = project(tmp_path, "")
    vault = tmp_path / "vault"
    assert project_id(place, vault) == ""
    git(place, "remote", "add", "upstream", "https://github.com/acme/web")
    assert project_id(place, vault) == "github.com/acme/web"
    git(place, "remote", "add", "origin", "https://github.com/ana/web")
    assert project_id(place, vault) == "github.com/ana/web"
    assert project_id(place, vault, remote="upstream") == "github.com/acme/web"
    assert project_id(place, vault, remote="nowhere") == ""


def test_git_s_configuration_is_read_as_git_reads_it(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(
        '[core]\n\tbare = false # [remote "x"]\n'
        '[Remote "origin"] ; first\n'
        "\tpushurl = https://github.com/acme/push\n"
        '\tURL = "https://github.com/acme/we" b ; comment\n'
        "\turl = https://github.com/acme/second\n"
        '[remote "a\\"b"]\n\turl = git@host:\\\nacme/web # comment\n'
        '[branch "main"]\n\turl = nothing\n'
    )
    assert read_remotes(config) == {
        "origin": "https://github.com/acme/we b",
        'a"b': "git@host:acme/web",
    }
    assert read_remotes(tmp_path / "none") == {}


@pytest.mark.parametrize("name", ["main", "feature/支付", "v1.2"])
def test_the_branch_is_that_of_the_work_tree(tmp_path: Path, name: str) -> None:
    place = project(tmp_path)
    vault = tmp_path / "vault"
    git(place, "checkout", "-q", "-B", name)
    git(place, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    assert find_branch(place, vault) == name
    assert find_branch(tmp_path / "side", vault) == "side"
    git(place, "checkout", "-q", "--detach")
    assert find_branch(place, vault) == ""
    assert find_branch(tmp_path, vault) == ""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("github.com/acme/web", "github.com/acme/web"),
        ("https://u:p@github.com/acme/web.git", "github.com/acme/web"),
        ("git@github.com:acme/web", "github.com/acme/web"),
        ("web", "web"),
        ("网站", "网站"),
        ("  ", ""),
    ],
)
def test_a_project_that_is_typed(text: str, wanted: str) -> None:
    assert named_project(text, "--project") == wanted


@pytest.mark.parametrize(
    "text",
    [
        "/home/ana/web",
        "~/web",
        "./web",
        "../web",
        "C:\\web",
        "C:/web",
        "file:///srv/web",
        "a b",
        "https://u:p@/x",
        "a@b",
        "x\x1b[1m",
    ],
)
def test_a_path_is_no_project_and_is_not_repeated(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        named_project(text, "$MVAULT_PROJECT")
    assert text not in caught.value.message

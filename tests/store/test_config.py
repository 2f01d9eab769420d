"""Settings: layers, types, messages, and changing one line of a file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from vault_cli.errors import RefusedError, UsageError
from vault_cli.store.config import SETTINGS, Config, load_config
from vault_cli.store.settings import RENDER_GROUPS, coerce_value, parse_value
from vault_cli.store.toml_patch import set_setting


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "v").mkdir()
    return tmp_path


def load(place: Path, vault: str = "", user: str = "", **more: object) -> Config:
    (place / "v/vault.toml").write_text(vault, encoding="utf-8")
    (place / "user.toml").write_text(user, encoding="utf-8")
    environ = {"MVAULT_CONFIG": str(place / "user.toml"), **more.pop("environ", {})}  # type: ignore[dict-item]
    return load_config(place / "v", environ=environ, **more)  # type: ignore[arg-type]


def test_every_default_is_allowed_and_has_help() -> None:
    for setting in SETTINGS:
        assert coerce_value(setting, setting.default) == setting.default
        assert setting.help
    assert SETTINGS[0].name == "schema"


def test_groups_are_those_of_the_block() -> None:
    from vault_cli.recall.render import GROUPS

    assert tuple(GROUPS) == RENDER_GROUPS


def test_layers(place: Path) -> None:
    vault, user = (
        "[render]\nbudget = 2\nunit = 'characters'\n",
        "[render]\nbudget = 1\nmode = 'off'\n",
    )
    config = load(place, vault, user)
    assert [config["render.budget"], config.origin("render.budget")] == [2, "vault"]
    assert [config["render.mode"], config.origin("render.mode")] == ["off", "user"]
    assert [config["render.quotas"], config.origin("render.quotas")] == [{}, "default"]
    config = load(place, vault, user, environ={"MVAULT_RENDER_BUDGET": "3"})
    assert [config["render.budget"], config.origin("render.budget")] == [3, "environment"]
    config = load(place, vault, user, environ={"MVAULT_RENDER_BUDGET": "3"},
                  flags={"render.budget": 4, "render.mode": None})  # fmt: skip
    assert [config["render.budget"], config.origin("render.budget")] == [4, "flag"]
    assert config["render.mode"] == "off"


def test_no_files_at_all(tmp_path: Path) -> None:
    config = load_config(None, environ={"MVAULT_CONFIG": str(tmp_path / "none.toml")})
    assert config["render.budget"] == 9500
    assert config.diagnostics == ()


def test_a_vault_cannot_grant_itself_trust(place: Path) -> None:
    text = "schema = 1\neditor = 'sh x'\n\n[trust]\n\napprove_without_terminal = ['agent']\n"
    config = load(place, text, "[trust]\napprove_without_terminal = ['person']\n",
                  environ={"MVAULT_TRUST_APPROVE_WITHOUT_TERMINAL": "agent"})  # fmt: skip
    assert config["trust.approve_without_terminal"] == ("person",)
    assert config["editor"] == ""
    assert [(d.path, d.line, d.code) for d in config.diagnostics] == [
        ("vault.toml", 2, "user-only-setting"),
        ("vault.toml", 6, "user-only-setting"),
        ("$MVAULT_TRUST_APPROVE_WITHOUT_TERMINAL", 0, "user-only-setting"),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("render = 5", ["vault.toml", "'render'"]),
        ("[render]\nbugdet = 5", ["vault.toml", "render.bugdet", "render.budget"]),
        ("[rendr]\nbudget = 5", ["rendr.budget", "render.budget"]),
        ("[rendr]", ["rendr"]),
        ("[render]\nbudget = '5'", ["render.budget", "'5'", "whole number"]),
        ("[render]\nbudget = true", ["render.budget", "whole number"]),
        ("[render]\nbudget = -1", ["render.budget", "-1"]),
        ("[render]\nmode = 'loud'", ["render.mode", "assist, strict, off"]),
        ("[render]\norder = ['rules', 'magic']", ["render.order", "'magic'"]),
        ("[render]\nquotas = {lessons = 'x'}", ["render.quotas", "whole number"]),
        ("[render]\nquotas = {magic = 1}", ["render.quotas", "'magic'"]),
        ("[files]\nignore = 'a'", ["files.ignore", "list"]),
        ("[vault]\ntimezone = 'Mars/Base'", ["vault.toml", "Mars/Base"]),
        ("[vault]\ntimezone = '../../etc/passwd'", ["vault.toml", "timezone"]),
        ("schema = 2", ["schema 2", "newer"]),
        ("schema = 0", ["schema"]),
        ("schema = = 1", ["vault.toml", "line 1"]),
        ("<<<<<<< HEAD\nschema = 1", ["vault.toml", "line 1"]),
        ("x = " + "[" * 5000, ["vault.toml"]),
    ],
)
def test_what_is_wrong_is_named(place: Path, text: str, words: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        load(place, text)
    shown = f"{caught.value.message} {caught.value.hint}"
    assert [word for word in words if word not in shown] == []


def test_bom_crlf_and_wrong_encoding(place: Path) -> None:
    (place / "v/vault.toml").write_bytes(b"\xef\xbb\xbfschema = 1\r\n[render]\r\nbudget = 7\r\n")
    environ = {"MVAULT_CONFIG": str(place / "none")}
    assert load_config(place / "v", environ=environ)["render.budget"] == 7
    (place / "v/vault.toml").write_bytes("schema = 1\n".encode("utf-16"))
    with pytest.raises(UsageError, match="UTF-8"):
        load_config(place / "v", environ=environ)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("render.budget", " 12 ", 12),
        ("render.mode", "strict", "strict"),
        ("render.order", "rules, lessons,rules", ("rules", "lessons")),
        ("render.quotas", "lessons=3000, rules=2", {"lessons": 3000, "rules": 2}),
        ("files.ignore", "", ()),
    ],
)
def test_values_typed_in_a_shell(name: str, text: str, value: object) -> None:
    setting = next(s for s in SETTINGS if s.name == name)
    assert parse_value(setting, text) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [("render.budget", "x"), ("render.budget", "1.5"), ("render.budget", "9" * 5000),
     ("render.budget", "²"), ("render.quotas", "lessons"), ("render.quotas", "x=1"), ("render.mode", "")],
)  # fmt: skip
def test_wrong_values_in_the_environment_name_the_variable(
    place: Path, name: str, text: str
) -> None:
    setting = next(s for s in SETTINGS if s.name == name)
    with pytest.raises(ValueError):
        parse_value(setting, text)
    if text:
        with pytest.raises(UsageError, match=setting.variable):
            load(place, environ={setting.variable: text})


FILE = """# my vault
schema = 1   # do not touch

[vault]
timezone = "Asia/Shanghai"  # 时区 "x" # y

[render]
# how much
budget   =   9500    # bytes
order = [
  "rules",  # first ]
  "lessons",
]
mode = 'strict'

[files]
"""


@pytest.mark.parametrize(
    ("name", "value", "old", "new"),
    [
        ("render.budget", "100", "budget   =   9500    # bytes", "budget   =   100    # bytes"),
        ("vault.timezone", "UTC", '"Asia/Shanghai"  # 时区 "x" # y', '"UTC"  # 时区 "x" # y'),
        ("render.mode", "off", "mode = 'strict'", 'mode = "off"'),
        (
            "render.unit",
            "characters",
            "mode = 'strict'\n",
            "mode = 'strict'\nunit = \"characters\"\n",
        ),
        ("files.ignore", "a b,c", "[files]\n", '[files]\nignore = ["a b", "c"]\n'),
        ("graduation.min_hits", "5", "[files]\n", "[files]\n\n[graduation]\nmin_hits = 5\n"),
        ("render.order", "lessons", '[\n  "rules",  # first ]\n  "lessons",\n]', '["lessons"]'),
        (
            "render.quotas",
            "rules=5",
            "mode = 'strict'\n",
            "mode = 'strict'\nquotas = { rules = 5 }\n",
        ),
        ("render.budget", "9500", "", ""),
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_one_setting_is_changed_in_place(
    tmp_path: Path, name: str, value: str, old: str, new: str, ends: str
) -> None:
    path = tmp_path / "vault.toml"
    path.write_bytes(FILE.replace("\n", ends).encode())
    result = set_setting(path, name, value)
    assert result.decode() == FILE.replace(old, new, 1).replace("\n", ends)
    path.write_bytes(result)
    setting = next(s for s in SETTINGS if s.name == name)
    config = load_config(tmp_path, environ={"MVAULT_CONFIG": str(tmp_path / "none")})
    assert config[name] == parse_value(setting, value)


def test_a_missing_or_open_ended_file(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert set_setting(path, "trust.approve_without_terminal", "person") == (
        b'[trust]\napprove_without_terminal = ["person"]\n'
    )
    path.write_text("# only this")
    assert tomllib.loads(set_setting(path, "render.budget", 5).decode()) == {
        "render": {"budget": 5}
    }
    assert set_setting(path, "render.budget", 5).startswith(b"# only this\n")


@pytest.mark.parametrize(
    "text",
    [
        "render = { budget = 1 }\n",
        '[[x]]\n[render]\nbudget = """\n1"""\n',
        "render.quotas.rules = 1\n",
    ],
)
def test_forms_that_cannot_be_patched_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    name = "render.quotas" if "quotas" in text else "render.budget"
    with pytest.raises(RefusedError, match="in place"):
        set_setting(path, name, "lessons=1" if "quotas" in name else "5")


def test_dotted_and_quoted_keys(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('render.budget = 1\n["files"]\n"ignore" = [] # x\n')
    assert b"render.budget = 5\n" in set_setting(path, "render.budget", "5")
    assert b'"ignore" = ["a"] # x\n' in set_setting(path, "files.ignore", "a")


def test_refusals_of_set(tmp_path: Path) -> None:
    for name, value in [
        ("rendr.budget", "1"),
        ("render.budget", "x"),
        ("trust.approve_without_terminal", "person"),
    ]:
        with pytest.raises(UsageError):
            set_setting(tmp_path / "vault.toml", name, value)


def test_the_editor_is_set_at_the_top_of_the_person_s_own_file_only(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("# mine\n\n[render]\nmode = 'strict'\n")
    result = set_setting(path, "editor", 'x "y"')
    assert result.decode() == '# mine\n\neditor = "x \\"y\\""\n[render]\nmode = \'strict\'\n'
    with pytest.raises(UsageError, match="cannot stand in vault"):
        set_setting(tmp_path / "vault.toml", "editor", "vi")

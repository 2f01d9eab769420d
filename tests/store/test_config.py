"""Settings: layers, types, messages, and changing one line of a file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from vault_cli.errors import RefusedError, UsageError
from vault_cli.store.config import SETTINGS, Config, load_config
from vault_cli.store.setting_values import coerce_value, parse_value
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


def test_leniently_a_bad_setting_is_a_finding_and_the_layer_below_counts(place: Path) -> None:
    vault = (
        "schema = 1\n[vault]\ntimezone = 'Mars/Base'\n[render]\nbudget = 'x'\n"
        "bugdet = 5\nmode = 'off'\nunit = 'miles'\n"
    )
    user = "[render]\nbudget = 1\nmode = 'loud'\n"
    environ = {"MVAULT_RENDER_UNIT": "yards", "MVAULT_GRADUATION_MIN_HITS": "7"}
    with pytest.raises(UsageError):
        load(place, vault, user, environ=environ)
    config = load(place, vault, user, environ=environ, lenient=True)
    assert [config[name] for name in ("vault.timezone", "render.budget", "render.mode")] == [
        "", 1, "off",
    ]  # fmt: skip
    assert [config["render.unit"], config["graduation.min_hits"]] == ["bytes", 7]
    assert config.origin("render.budget") == "user"
    assert {d.severity for d in config.diagnostics} == {"error"}
    assert [(d.path, d.line, d.code) for d in config.diagnostics] == [
        (str(place / "user.toml"), 3, "config-value"),
        ("vault.toml", 3, "config-value"),
        ("vault.toml", 5, "config-value"),
        ("vault.toml", 6, "config-key"),
        ("vault.toml", 8, "config-value"),
        ("$MVAULT_RENDER_UNIT", 0, "config-value"),
    ]
    hints = [d.hint for d in config.diagnostics]
    assert hints[0] == "Set it again: mvault config set --user render.mode …"
    assert hints[2] == "Set it again: mvault config set render.budget …"
    assert "render.budget" in hints[3]
    assert all(hints)
    assert not any("vault.toml" in d.message for d in config.diagnostics)  # the path says it


@pytest.mark.parametrize(
    ("data", "line", "code"),
    [
        (b"schema = 1\n[render\n", 2, "config-toml"),
        (b"schema = 1\n# \xff\n", 2, "config-toml"),
        (b"x = " + b"[" * 5000, 0, "config-toml"),
        (b"<<<<<<< HEAD\nschema = 1\n", 1, "config-toml"),
        (b"schema = 2\n", 1, "config-value"),
    ],
)
def test_leniently_a_file_that_is_no_toml_is_a_finding(
    place: Path, data: bytes, line: int, code: str
) -> None:
    (place / "v/vault.toml").write_bytes(data)
    environ = {"MVAULT_CONFIG": str(place / "none")}
    config = load_config(place / "v", environ=environ, lenient=True)
    assert [(d.path, d.line, d.code) for d in config.diagnostics] == [("vault.toml", line, code)]
    assert config["render.budget"] == 9500
    assert config.origins == {}


def test_leniently_a_file_that_cannot_be_opened_is_a_finding(place: Path) -> None:
    (place / "v/vault.toml").symlink_to(place / "elsewhere.toml")
    (place / "folder").mkdir()
    environ = {"MVAULT_CONFIG": str(place / "folder")}
    with pytest.raises(UsageError):
        load_config(place / "v", environ=environ)
    found = load_config(place / "v", environ=environ, lenient=True).diagnostics
    assert [(d.path, d.code) for d in found] == [
        (str(place / "folder"), "config-unreadable"),
        ("vault.toml", "config-unreadable"),
    ]


def test_the_command_line_is_never_taken_leniently(place: Path) -> None:
    for flags in ({"render.budget": "x"}, {"rendr.budget": 1}, {"vault.timezone": "Mars/Base"}):
        with pytest.raises(UsageError, match="the command line"):
            load(place, flags=flags, lenient=True)


def test_a_bad_setting_is_a_finding_of_the_vault_but_no_unreadable_record(place: Path) -> None:
    from vault_cli.store.vault import Vault

    (place / "v/vault.toml").write_text("[render]\nbudget = 'x'\n")
    environ = {"MVAULT_CONFIG": str(place / "none")}
    with pytest.raises(UsageError):
        Vault.open(place / "v", environ=environ)
    snapshot = Vault.open(place / "v", environ=environ, lenient=True).snapshot()
    assert [d.code for d in snapshot.diagnostics] == ["config-value"]
    assert snapshot.unreadable == ()


@pytest.mark.parametrize(
    ("text", "name", "value", "expected"),
    [
        ("[vault]\ntimezone = 'Mars/Base'\n", "render.budget", "5", None),
        ("[vault]\ntimezone = 'Mars/Base'\n", "vault.timezone", "UTC", "UTC"),
        ("[vault]\ntimezone = 5\n", "vault.timezone", "", ""),
        ("[render]\nbudget = 'x' # how much\n", "render.budget", "5", 5),
        ("[render]\nbudget = { a = 1 }\n", "render.budget", "5", 5),
        ("[render]\nbudget = true\n", "render.budget", "1", 1),
        ("[render]\nbudget = 5.0\n", "render.budget", "5", 5),
        ("[render]\nquotas = { rules = true }\n", "render.quotas", "rules=1", {"rules": 1}),
        ("[render]\nbugdet = 1\n", "render.budget", "5", 5),
        ("schema = 2\n[rendr]\nx = 1\n", "render.budget", "5", 5),
    ],
)
def test_a_setting_can_be_changed_beside_or_over_a_bad_one(
    tmp_path: Path, text: str, name: str, value: str, expected: object
) -> None:
    path = tmp_path / "vault.toml"
    path.write_text(text)
    result = tomllib.loads(set_setting(path, name, value).decode())
    if expected is None:
        assert result == {**tomllib.loads(text), "render": {"budget": 5}}
        return
    table, _, key = name.partition(".")
    assert result[table][key] == expected
    assert type(result[table][key]) is type(expected)
    assert "how much" not in text or b"# how much" in set_setting(path, name, value)


@pytest.mark.parametrize("text", ["render = 5\n", "[render.budget]\nx = 1\n", "[[render]]\n"])
def test_another_thing_where_the_table_should_be_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(RefusedError, match="in place"):
        set_setting(tmp_path / "config.toml", "render.budget", "5")


@pytest.mark.parametrize(
    ("name", "value"),
    [("vault.timezone", "Mars/Base"), ("vault.timezone", "../etc"), ("schema", "2"),
     ("render.budget", "-1"), ("render.order", "magic")],
)  # fmt: skip
def test_set_takes_only_what_loading_takes(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(UsageError) as caught:
        set_setting(tmp_path / "vault.toml", name, value)
    assert name.rpartition(".")[2] in caught.value.message


from __future__ import annotations
from pathlib import Path
import pytest, json
from real.codex_session import Machine, SCRIPTING_MODEL, MODEL

@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)

def code(c): return [{"code":"text(await tools.exec_command({cmd:"+json.dumps(c)+"}))"}]
def plain(c): return [{"run":c}]
def test_probe(machine: Machine) -> None:
    m = machine
    m.keep("rule", "--title", "Use pnpm, never npm", "--body", "In all projects.", "--applies-when", "installing")
    m.mvault("install","codex","--yes").ok()
    m.trust_hooks()
    for f, model in ((plain,MODEL),(code,SCRIPTING_MODEL)):
        bad = "echo 'Error: missing field port in demo.toml' >&2; exit 3" if f is plain else "echo '错误:demo.toml 里没有端口' >&2; exit 3"
        s = m.run([f(bad),f(bad), f("echo ok"), f("ls x"), [{"say":"ok"}]],"-m",model,"run the build").ok()
        s = m.run([f("pnpm run biuld"+str(model[-1])),f("echo built # pnpm run build"), [{"say":"ok"}]],"-m",model,"不要用 npm,用 pnpm").ok()
        s = m.run([f("cat nofile.txt"),f("touch nofile.txt"), f("cat nofile.txt"),[{"say":"ok"}]],"-m",model,"show it").ok()
    print(s.answers)
    s = m.run([[{"run":"sleep 11; echo 'ENOENT: no lockfile' >&2; exit 4"}],[{"call":"write_stdin","arguments":{"session_id":"$session","chars":"","yield_time_ms":3000}}],[{"say":"ok"}]],"run the long build").ok()
    print(s.answers); print(s.err)
    for d in m.spool(): 
      if d.get("hook_event_name")=="PostToolUse": print(json.dumps(d)[-300:])
    print(m.mvault("guard","failures").text)
    print(m.mvault("capture","sessions").text)
    print(m.mvault("capture","list").text)
    print(m.rollouts()[-1].read_text()[-9000:])
    assert 0

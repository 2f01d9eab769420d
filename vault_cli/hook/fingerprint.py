"""When are two failures the same: the fingerprint of a tool and its masked error. Standard library.

Masked is what differs from one time to the next: times, durations, sizes, addresses and ports,
process ids, counts, paths and line numbers, temporary names, hashes. Kept is what says which
failure it is: words, names, codes (`E0308`, `TS2304`, `ORA-00942`), HTTP statuses, exit codes,
versions. The order of lines does not count, nor how often one stands there.

Never loaded before a tool call. Only a few lines of bounded length meet the patterns.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import blake2b
from unicodedata import normalize

from vault_cli.hook.tools import canonical

MOST_LINES = 12
"""Of a longer error the lines count that speak of one, else the last."""

MOST_CHARACTERS = 400
"""Characters of a line that count."""

MAX_TEXT = 64 << 10
_ID_SIZE = 8

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_QUOTES = {ord(sign): "'" for sign in "‘’“”「」『』`´"}

_FRAME = re.compile(
    r"""\s*(?:
        File\ "[^"]*",\ line\ \d+                  # Python
      | at\ \S.*[:(]\d+[:\d)]*$ | at\ .*\(.*\)$    # JavaScript, Java
      | \.{3}\ \d+\ more$
      | -->\ \S+:\d+ | \d*\s*\|(?:\s|$) | =\ (?:note|help):    # Rust, gcc, clang
      | goroutine\ \d+ | \S+\(0x[0-9a-f] | created\ by\ | \S+\.go:\d+\ \+0x
      | \[notice\]\ | [\^~\s|]+$ | [-=_*]{3,}$
      | Traceback\ \(most\ recent | Call\ stack:
      | Node\.js\ v\d | npm\ ERR!\s*$ | npm\ (?:ERR!|error)\ A\ complete\ log
      | \[?std(?:err|out)\]?:?$ | Chunk\ ID: | Wall\ time: | Original\ token\ count: | Output:$
    )""",
    re.VERBOSE,
)
"""Lines that say where, not what."""

_SPEAKS_OF_ERROR = re.compile(
    r"err!|error|fail|fatal|exception|panic|cannot|can't|could not|couldn't|unable|invalid"
    r"|not found|no such|no module|denied|refused|forbidden|unauthori[sz]ed|undefined|undeclared"
    r"|unexpected|unknown|missing|unresolved|unsupported|conflict|reject|abort|timed? ?out|killed"
    r"|overflow|exit code|exit status|exited with|already |out of memory|no space|mismatch"
    r"|does not|doesn't|is not|must be|required"
    r"|错误|失败|异常|无法|不能|找不到|不存在|未找到|未定义|拒绝|禁止|超时|冲突|缺少|无效|非法|已存在"
    r"|被占用|崩溃|退出码|退出代码|中止|终止|权限|不支持|不匹配|未安装",
    re.IGNORECASE,
)

_SIGN = r"[\s:=#(\[<'\"-]{0,3}"
_KEPT = re.compile(
    rf"""
      (?<![A-Za-z])(?:http(?:/[\d.]+)?|status(?:[ _-]?code)?|errno|err|code|returned|rc|signal
        |exit(?:ed)?(?:[ _-]?(?:code|status|value))?|exited\ with(?:\ code)?|sqlstate|hresult
        |ntstatus|error[ _-]?(?:code|number)){_SIGN}(?:0x[0-9a-f]+|-?\d+)(?![\w.]*\d)
    | (?:错误代码|错误码|错误号|状态码|状态代码|退出码|退出代码|退出状态|返回码|返回值|返回|响应
        |代码|信号)
        {_SIGN}(?:为|是)?{_SIGN}(?:0x[0-9a-f]+|-?\d+)
    | (?<![A-Za-z])error[\ #]\d+(?!\w) | error:\s\d{{3,5}}(?=\s*[(:\]]|$) | 错误\s?\d{{2,5}}
    | (?<![\w.:])[1-5]\d\d(?=\ (?:not|bad|forbidden|unauthori[sz]ed|internal|service|gateway|too|
        conflict|gone|method|payload|request|unprocessable|found|moved|proxy|no\ content)\b)
    | (?<=[(\[])[45]\d\d(?=[)\]])
    | \b(?:get|post|put|delete|patch|head)\s\S{{1,120}}\s(?P<status>[1-5]\d\d)\b
    | \b0x[8c][0-9a-f]{{7}}\b
    | (?:version|python|node(?:\.js)?|ruby|java|jdk|go|gcc|clang|glibc(?:xx)?|版本)[\s:_]{{0,2}}
        \d+(?:\.\d+)+
    | (?:[=<>~^!]=?|@|\bv)\s?\d+(?:\.\d+)+
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Numbers that say which failure it is, with the word before them."""

_EXTENSION = (
    r"\.(?:pyi?|pyc|[cm]?[jt]sx?|vue|svelte|rs|go|c|cc|cpp|cxx|h|hh|hpp|java|kts?|scala|cs|fs|rb|php"
    r"|swift|mm?|sh|bash|zsh|ps1|bat|pl|pm|lua|jl|exs?|erl|hs|ml|clj|dart|zig|sql|html|css|s[ac]ss"
    r"|less|jsonl?|ya?ml|toml|xml|ini|cfg|conf|env|lock|md|rst|txt|[ct]sv|log|proto|tf|gradle"
    r"|properties|so(?:\.\d+)*|dylib|dll|exe|o|a|jar|class|whl|gz|zip|tar|tgz|png|jpg|pdf|db|sqlite"
    r"|bin|tmp|bak|pid|sock|map|snap|ipynb)"
)
_PART = r"[\w.@+~%$#\-]"
_PLACE = r"(?::\d+(?:[:-]\d+)*|\(\d+(?:,\s?\d+)?\))?"
_FOLDERS = (
    r"(?:src|lib|libs|tests?|spec|app|apps|packages|node_modules|dist|build|target|include|bin|pkg"
    r"|cmd|internal|docs?|scripts|tmp|var|etc|home|usr|opt|root|public|static|assets|config|venv)"
)
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_CLOCK = r"\d{1,2}[:时点]\d{2}(?:[:分]\d{2}秒?|分)?(?:[.,]\d+)?"


def _mask_url(found: re.Match[str]) -> str:
    """Keep what is asked for and of whom; mask at which port and where there."""
    host = found[2].rpartition("@")[2]
    host = re.sub(r":\d+$", ":<n>", host)
    if re.fullmatch(r"[\d.]+(?::<n>)?|\[.*", host):
        host = "<addr>"
    return f"{found[1].lower()}{host.lower()}{'/<path>' if len(found[3]) > 1 else ''}"


def _rule(
    pattern: str, mask: str | Callable[[re.Match[str]], str], flags: int = re.IGNORECASE
) -> tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]:
    return re.compile(pattern, flags), mask


_MASKS = (
    _rule(r"\b([a-z][a-z0-9+.-]{1,15}://)([^\s/'\"<>)\],]+)([^\s'\"<>)\],]*)", _mask_url),
    _rule(
        r"(?<!\d)\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?(?!\d)"
        rf"(?:[T ,]{{0,2}}{_CLOCK}(?:\s?(?:Z\b|UTC|GMT|[+-]\d{{2}}:?\d{{2}}))?)?",
        "<time>",
    ),
    _rule(
        rf"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\s+)?(?:\d{{1,2}}\s+)?{_MONTH}\b\.?\s+\d{{1,4}}\b"
        rf"(?:,?\s+\d{{4}})?(?:,?\s+{_CLOCK}(?:\s+\d{{4}})?)?(?:\s+(?:UTC|GMT|CST|[+-]\d{{4}}))?",
        "<time>",
    ),
    _rule(rf"(?<![\w:.])(?:上午|下午)?{_CLOCK}(?:\s?[ap]m\b)?(?![\w:])", "<time>"),
    _rule(r"(?<![\w:])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![\w:])", "<addr>"),
    _rule(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?:[:/]\d{1,5})?(?![\w.])", "<addr>"),
    # the name of a test stays behind its file
    _rule(rf"(?<![\w/.])(?:{_PART}+[/\\])*{_PART}+{_EXTENSION}(?=::)", "<path>"),
    _rule(rf"\b[a-z]:[\\/](?:[\w.@+~%#() -]*[\w)][\\/])*{_PART}*{_PLACE}", "<path>"),
    _rule(rf"(?<![\w<>/@.])(?:~|\.{{1,2}})?(?:/{_PART}+)+/?{_PLACE}", "<path>"),
    _rule(rf"(?<![\w@/.])(?:{_PART}+[/\\])+{_PART}*{_EXTENSION}{_PLACE}(?![\w/])", "<path>"),
    _rule(rf"(?<![\w@/.]){_FOLDERS}/(?:{_PART}+/)*{_PART}+{_PLACE}", "<path>"),
    _rule(rf"(?<![\w@/.<])[\w.@+~\-]*[\w\-]{_EXTENSION}{_PLACE}(?![\w/(])", "<path>"),
    _rule(r"(?<![\w/])[\w./@+-]+:\d+:\d+(?=:|\s|$)", "<path>"),
    _rule(r"\[[0-9a-f]*:[0-9a-f:.]*:[0-9a-f]*\](?::\d{1,5})?", "<addr>"),
    _rule(r"(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}:?[0-9a-f]{0,4}(?![\w:])", "<addr>"),
    _rule(r"(?<![\w:])::1(?::\d+)?(?![\w:])", "<addr>"),
    _rule(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<id>"),
    _rule(r"\btmp[._-](?=[\w-]*\d)[\w-]{4,}\b|\btmp\.\w{6,}\b|\btmp[a-z0-9_]{8}\b", "<tmp>"),
    _rule(r"\b([a-z][\w.-]*?)-[a-f0-9]{6,10}-[a-z0-9]{5}\b", r"\1-<id>"),
    _rule(r"\bsha(?:1|256|384|512)[:-][a-z0-9+/=]{20,}", "<hash>"),
    _rule(r"\b0x[0-9a-f]+\b", "<hex>"),
    _rule(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b", "<hash>"),
    _rule(r"\b(?=\w*\d)(?=\w*[A-Z])(?=\w*[a-z])\w{20,}\b", "<id>", 0),
    _rule(
        r"(?<![\w.])\d+(?:[.,]\d+)*\s?(?:ms|µs|us|ns|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b"
        r"(?:\s?\d+(?:\.\d+)?\s?(?:ms|s|m|seconds?)\b)*",
        "<duration>",
    ),
    _rule(r"\d+(?:\.\d+)?\s?(?:毫秒|微秒|秒钟?|分钟|小时|天)", "<duration>"),
    _rule(r"(?<![\w.])\d+(?:[.,]\d+)*\s?(?:[kmgt]i?b|bytes?|b)\b", "<size>"),
    _rule(r"\d+(?:\.\d+)?\s?(?:字节|兆)", "<size>"),
    _rule(
        r"\b(pid|thread|worker|gw|pool|process|goroutine|conn|fd|port|attempt|line|job)[-_#]?\d+\b",
        r"\1<n>",
    ),
    _rule(r"(?<![\w.])-?\d+(?:\.\d+)?%", "<n>"),
    # a number that stands for itself; a version, and what is part of a word, stays
    _rule(
        r"(?<![A-Za-z0-9_.<-])-?\d+(?:,\d{3})*(?!\.\d+\.)(?:\.\d+)?(?![A-Za-z0-9_]|\.\d|-[A-Za-z])",
        "<n>",
    ),
    _rule(r"(?<=[\u4e00-\u9fff])\d+|(?<![\w.])\d+(?=[\u4e00-\u9fff])", "<n>"),
    _rule(r"<n>(?:[\s,;/:x-]{0,3}<n>)+", "<n>"),
)


def fingerprint(tool: str, text: str) -> tuple[str, str]:
    """Return what names a failure, and the error as it is compared.

    Args:
        tool: by any of its names.
        text: what the tool said.

    Returns:
        16 hex digits, the same for the same failure on every machine; the masked lines.
    """
    lines = list(dict.fromkeys(filter(None, map(mask_line, choose_lines(text)))))
    body = "\n".join((canonical(tool), *sorted(lines)))
    digest = blake2b(body.encode("utf-8", "surrogatepass"), digest_size=_ID_SIZE)
    return digest.hexdigest(), "\n".join(lines)


def choose_lines(text: str) -> list[str]:
    """Return the lines of an output that say what went wrong, without colours and progress bars."""
    if len(text) > MAX_TEXT:
        half = MAX_TEXT // 2
        text = f"{text[:half]}\n{text[-half:]}"
    text = normalize("NFKC", _ANSI.sub("", text).replace("\r\n", "\n")).translate(_QUOTES)
    lines = []
    for line in text.split("\n"):
        shown = _CONTROL.sub(" ", line.rstrip().rpartition("\r")[2])[:MOST_CHARACTERS]
        if shown.strip():
            lines.append(shown)
    kept = _without_frames(lines) or lines
    if len(kept) <= MOST_LINES:
        return kept
    speaking = list(dict.fromkeys(line for line in kept if _SPEAKS_OF_ERROR.search(line)))
    if not speaking:
        return kept[-MOST_LINES // 2 :]
    half = MOST_LINES // 2
    return speaking if len(speaking) <= MOST_LINES else [*speaking[:half], *speaking[-half:]]


def _without_frames(lines: list[str]) -> list[str]:
    """Return the lines without stack frames and the source that is shown below them."""
    found: list[str] = []
    is_source = False
    for line in lines:
        frame = _FRAME.match(line)
        if frame is None and not (is_source and line[:1].isspace()):
            found.append(line)
        is_source = frame is not None and 'File "' in line
    return found


def mask_line(line: str) -> str:
    """Return a line with stand-ins for what differs from one time to the next."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        status = found["status"] or ""
        kept.append(status or found[0])
        return found[0][: -len(status)] * bool(status) + chr(_PRIVATE + len(kept) - 1)

    text = _KEPT.sub(keep, line[:MOST_CHARACTERS])
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    for number, own in enumerate(kept):
        text = text.replace(chr(_PRIVATE + number), own)
    return " ".join(text.split())


_PRIVATE = 0xE000
"""Characters of private use stand for what is kept while the rest is masked."""

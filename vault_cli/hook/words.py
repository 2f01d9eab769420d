"""What hooks say beside a block: fixed texts, and how to know our own words again. Standard lib.

Facts, never orders: a host takes text that commands for an attack, and what to do about a fact is
the agent's to judge. The texts are constant, so that a prompt cache is not broken by them.
"""

from __future__ import annotations

FOOTER = (
    "Memory: records of this project are kept in a vault. `mvault search WORDS` finds them,"
    " `mvault show ID` prints one. A finding worth keeping belongs in the report to the main"
    " agent.\n"
)
"""All that a subagent is told."""

ONLY_MAIN = (
    "mvault: a subagent does not reflect or distill: it saw a part of the work only. A finding"
    " worth keeping belongs in the report to the main agent, which may."
)
"""Why a subagent's call is stopped."""

ONLY_MAIN_CHINESE = (
    "mvault：子代理不做反思，也不提炼，它只看到了工作的一部分。值得保留的发现写进给主代理的报告，"
    "由主代理来做。"
)
"""The same after a prompt in Chinese."""

STANDS = (
    "Memory: the block given earlier in this session still holds as it stands there; nothing in"
    " it has changed since.\n"
)
"""Said when a session goes on and its block is in the conversation already."""

IN_FILES = (
    "Memory: what is in force here stands in {}, which this program reads at the start; there is"
    " nothing to add to it.\n"
)
"""Said in place of a block that would only repeat what instruction files say."""

PRESSURE = (
    "Memory: the conversation was compacted. What was said before it is known from the summary"
    " only, and is in no record unless it was proposed (`mvault add`; a person admits it).\n"
)
"""Said once after each compaction."""

REREAD = "Memory: what was compacted stands in lines {} to {} of the session's log, {}\n"
"""Said with it where the host names the log."""

FILLING = (
    "Memory: the context is {} % full and may be compacted soon. What this session taught is in no"
    " record unless it was proposed: `mvault search` shows what is known, `mvault add` proposes;"
    " rarely more than three things are worth it.\n"
)
"""Said once before a compaction, with the prompt after the turn that filled it."""

FILLING_CHINESE = (
    "记忆：上下文已用 {} %，可能很快会被压缩。本次会话学到的内容，没有提出就不在任何记录里："
    "`mvault search` 看已有什么，`mvault add` 提出候选；值得提的很少超过三条。\n"
)
"""The same after a prompt in Chinese."""

COMPACTING = (
    "mvault: the conversation is being compacted; what it taught is in the summary only, unless"
    " it is proposed with `mvault add`"
)
"""The same for the person, at the time it happens."""

AGAIN = (
    "Memory: in the last session in this folder {} of {} tool calls failed; what came of it is in"
    " no record unless it was proposed.\n"
)
"""Said once at the start of the next session, where calls failed."""

UNRECORDED = (
    "Memory: the last turn made {} and changed {}; nothing of it is in a record. Whether it was a"
    " task worth one is open: `mvault add` proposes what it taught, and leaving it is a decision"
    " as well.\n"
)
"""Said with the next prompt, after a turn of some work in which memory was not touched."""

UNRECORDED_CHINESE = (
    "记忆：上一轮调用了 {} 次工具，改动了 {} 个文件；其中没有任何内容进入记录。"
    "它算不算一个值得记录的任务由你判断："
    "`mvault add` 可以把学到的内容提为候选；不记录也是一个决定。\n"
)
"""The same after a prompt in Chinese."""

TURN = (
    "Memory: the last turn can be reflected on: `mvault reflect prepare --mode turn --session {}`"
    " prints its brief; leaving it is a decision as well.\n"
)
"""Said with the next prompt where a person asked for it (`reflection.turns`)."""

TURN_CHINESE = (
    "记忆：上一轮可以反思：`mvault reflect prepare --mode turn --session {}` 给出材料；"
    "不反思也是一个决定。\n"
)
"""The same after a prompt in Chinese."""

TURN_IN_TASK = "Memory: a task is open; what its reflection will hold need not be recorded twice.\n"
"""Said behind it while a task of the session is open."""

TURN_IN_TASK_CHINESE = "记忆：有任务还没有结束；它的反思会写到的，不必记两次。\n"
"""The same after a prompt in Chinese."""

OPEN_TASKS = (
    "Memory: {} of earlier sessions still open here: {}. `mvault task show ID` says what was to be"
    " done; whether it goes on now is open.\n"
)
"""Said at the start of a session where tasks are open; ids only, the words are an agent's own."""

OPEN_TASKS_CHINESE = (
    "记忆：此前会话还有 {} 个任务没有结束：{}。"
    "`mvault task show ID` 说明当时要做什么；现在是否继续由你判断。\n"
)
"""The same where the newest of them is in Chinese."""

UNREFLECTED = (
    "Memory: records of {} importance points are unreflected, from {} on a run can begin."
    " `mvault reflect prepare --mode threshold` prints its brief; leaving it is a decision as"
    " well.\n"
)
"""Said once at the start of a session when so many have gathered, and of as many more again."""

UNREFLECTED_CHINESE = (
    "记忆：还没有反思的记录已有 {} 点重要性，满 {} 点可以做一次反思。"
    "`mvault reflect prepare --mode threshold` 给出材料；不反思也是一个决定。\n"
)
"""The same where most of these records are in Chinese."""

BESIDE = (
    "## Memory: beside the block above, what fits this prompt\n"
    "\n"
    "Headings as above. `mvault show ID` prints an entry with its sources.\n"
)
"""Intro of the records that one prompt brings."""

CUT_SHORT = (
    "Memory: the vault of this project was not read, as that takes too long; what stands here is"
    " the user's own. What was read of it is kept, and `mvault status` reads the rest.\n"
)
"""Said behind the block of a session that began before the project's vault could be read."""

_CHINESE = {
    FOOTER: "记忆：本项目的记录保存在记忆库里。`mvault search 词语` 查找，"
    "`mvault show 编号` 显示一条。值得保留的发现写进给主代理的报告。\n",
    STANDS: "记忆：本次会话先前给出的内容现在仍然成立，其间没有变化。\n",
    PRESSURE: "记忆：对话已被压缩。此前说过的内容只剩摘要，没有提出就不在任何记录里"
    "（`mvault add` 提出，由人采纳）。\n",
    REREAD: "记忆：被压缩的内容在会话日志的第 {} 到 {} 行：{}\n",
    AGAIN: "记忆：此文件夹的上一次会话中，{1} 次工具调用有 {0} 次失败；"
    "从中学到的内容没有提出就不在任何记录里。\n",
    CUT_SHORT: "记忆：本项目的记忆库读取时间过长，没有读取；这里只有用户自己的内容。"
    "已读取的部分会保留，`mvault status` 读取其余部分。\n",
}


def in_language(text: str, *, chinese: object) -> str:
    """Return one of the texts above in Chinese, where the records beside it are."""
    return _CHINESE[text] if chinese else text


_OWN = ("<mvault-memory>", "Memory: ", "记忆：", "mvault: ", "mvault hook: ")
_TAGS = (
    *("<command-", "<local-command-", "<task-notification", "<system-reminder", "<bash-"),
    *("<environment_context>", "<hook_prompt", "<user_instructions>", "# AGENTS.md instructions"),
    "[Request interrupted",
)
_LEAST = 3
"""Letters of the shortest prompt that can be about anything; of Chinese two."""


def is_talk(prompt: str) -> bool:
    """Tell whether a prompt is a person's words that records may have to do with.

    Slash commands, what a program put into the conversation, our own text and mere assent are not.
    """
    text = prompt.strip()
    if not text or _is_command(text) or text.startswith((*_OWN, *_TAGS)):
        return False
    if "</mvault-memory>" in text:
        return False
    letters = sum(char.isalnum() + (char >= "\u2e80") for char in text[:_SEEN])
    return letters > _LEAST


def _is_command(text: str) -> bool:
    """Tell whether a prompt is for the program itself: `/name …`, but no path; `!ls`."""
    first = text.split(None, 1)[0]
    return first[0] == "!" or (first[0] == "/" and "/" not in first[1:])


_SEEN = 200

"""The vocabulary of injections: concepts with their words in both languages.

One concept is one meaning; the rules (`injection_rules`) are written with concepts, so that a
rule holds in English and in Chinese alike. Words are separated by commas; a word with a tilde
(`ignore~`) stands for its regular forms, `{a/b} c` for `a c` and `b c`; a phrase of several
words means what it means and its words keep their own concepts. Chinese entries match
anywhere. Standard library only.
"""

from __future__ import annotations

from typing import Final

from vault_cli.text.injection_chinese import CHINESE
from vault_cli.text.injection_chinese_acts import CHINESE_ACTS
from vault_cli.text.injection_chinese_habits import CHINESE_HABITS
from vault_cli.text.injection_chinese_tasks import CHINESE_TASKS
from vault_cli.text.injection_english import ENGLISH
from vault_cli.text.injection_english_acts import ENGLISH_ACTS
from vault_cli.text.injection_english_habits import ENGLISH_HABITS
from vault_cli.text.injection_english_hijack import ENGLISH_HIJACK
from vault_cli.text.injection_english_safety import ENGLISH_SAFETY
from vault_cli.text.injection_english_tasks import ENGLISH_TASKS
from vault_cli.text.injection_tongues import TONGUES

_TABLES: Final = (
    ENGLISH,
    ENGLISH_SAFETY,
    ENGLISH_ACTS,
    ENGLISH_TASKS,
    ENGLISH_HABITS,
    ENGLISH_HIJACK,
    CHINESE,
    CHINESE_ACTS,
    CHINESE_TASKS,
    CHINESE_HABITS,
    TONGUES,
)
CONCEPTS: Final[dict[str, str]] = {
    name: ", ".join(table[name] for table in _TABLES if name in table)
    for name in dict.fromkeys(name for table in _TABLES for name in table)
}
"""Words by concept."""

NO_CONCEPT: Final = """
    {tell/telling} {the user/users} {to/how}, do not hesitate, don't hesitate, never mind,
    do not forget to, don't forget to, not only, never forget to, no matter, without question,
    without hesitation, no problem, if not,
    {auto/language/type/change/leak/drift/conflict/platform} detection, type safety,
    security {breach/breaches/boundary}, 输出格式, {始终/永远}信任的, 不要忘记, 别忘了, 不要犹豫,
    毫不犹豫, 不仅, 不但, 不只, 不管, 无论, 识别码, 特别, 区别, 级别, 类别, 分别, 别名, 个别, 鉴别,
    识别出, 性别, 辨别, 免费, 首都, 成都, 都市, 泄露的, 泄漏的,
    {关闭/取消/停用/禁用/跳过/绕过}{之前/前/之后/后/时}, {未经/未}{授权/许可/批准/同意}的,
    {重复/显示/输出/打印/列出/公布/暴露}的, 并不执行, 但不执行, 被{偷偷/悄悄/暗中/私下/静默},
    静默{模式/安装/失败/失效/捕获/吞/忽略/降级/）/时/运行/错误/丢弃/执行}, 默默的在, prompt caching,
    org policies, 提示词缓存, 令牌{数/计数/用量/预算/消耗}, {泄露/泄漏}{时/后/事件/路径}, ssh add,
    ssh copy id, copy paste, copy and paste, waiting for user input, wait for user input, x api key,
    系统空闲时, {doesn't/does not/didn't/did not} {tell/mention/inform/notify/alert/reveal/report}
"""
"""Phrases that hide the words inside them: `do not hesitate` is no negation."""

WHOLE: Final = """
    当前, 目前, 文件, 文件系统, 操作系统, 文档, 文本, 目录, 说明, 来说, 小说, 只读, 阅读, 读者,
    可读, 会话, 电话, 的话, 单元, 元素, 元件, 词元, 元数据, 请求, 申请, 邀请, 优先, 首先, 先生,
    先进, 操作符, 命令行, 身份验证, 身份证, 所有者, 覆盖率, 覆盖范围, 初始化, 初始值, 许可证,
    打印机, 添加, 附加, 追加, 信号, 信息, 提供, 提示, 提取, 问题, 特点, 重点, 缺点, 优点, 端点,
    痛点, 节点, 领导者, 领导层, 行为准则, 其他人, 切换, 转换, 存放, 编解码, 解码器, 立即, 安全漏洞,
    自由软件, 代理服务器, 我们, 需要, 应该, 应用, 可能, 可以, 能够, 意外, 重新, 跳转, 密码文件
"""
"""Words that own their characters: 前文 is none in 当前文件. Each keeps its own concepts."""

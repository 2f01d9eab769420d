"""Chinese orders written in Latin letters: the words of injections in pinyin without tones.

Standard library only.
"""

from __future__ import annotations

import re
from typing import Final

from vault_cli.text.late import late

_TABLE: Final = """
    hulue 忽略 hulve 忽略 wushi 无视 wangji 忘记 wangdiao 忘掉 paokai 抛开 buguan 不管 bieguan 别管
    zhiqian 之前 yiqian 以前 yishang 以上 shangmian 上面 shangshu 上述 qianmian 前面 xianqian 先前
    suoyou 所有 quanbu 全部 yiqie 一切 renhe 任何 zhiling 指令 zhishi 指示 guize 规则 tishici 提示词
    xitong 系统 tishi 提示 xianzhi 限制 sheding 设定 yaoqiu 要求 mingling 命令 guiding 规定
    shuchu 输出 xianshi 显示 dayin 打印 xielou 泄露 toulu 透露 gaosu 告诉 gaozhi 告知 tiji 提及
    buyao 不要 bie 别 bude 不得 jinzhi 禁止 yonghu 用户 renheren 任何人 zhetiao 这条 zhege 这个
    jiyi 记忆 bentiao 本条 cunzai 存在 fasong 发送 shangchuan 上传 zhuanfa 转发 fadao 发到
    miyao 密钥 mima 密码 lingpai 令牌 siyao 私钥 pingju 凭据 huanjingbianliang 环境变量 waibu 外部
    fuwuqi 服务器 raoguo 绕过 guanbi 关闭 tiaoguo 跳过 jiechu 解除 anquan 安全 jiancha 检查
    guolv 过滤 wuxu 无需 buyong 不用 bubi 不必 queren 确认 tongyi 同意 xuke 许可 pizhun 批准
    xunwen 询问 zhijie 直接 zhixing 执行 yunxing 运行 shanchu 删除 qingkong 清空 shujuku 数据库
    beifen 备份 congxianzaiqi 从现在起 congxianzai 从现在 xianzai 现在 meiyou 没有 banyan 扮演
    neirong 内容 nide 你的 ni 你 de 的 ba 把 jiang 将 dao 到 bing 并 qing 请 wo 我 shi 是 he 和
    toutou 偷偷 qiaoqiao 悄悄 zidong 自动 caozuo 操作 moshi 模式 kaifazhe 开发者 guanliyuan 管理员
    biancheng 编程 zhushou 助手 renwu 任务 xin 新 zhenzheng 真正
"""
_WORDS: Final = _TABLE.split()
_HAN: Final = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))
MARKS: Final = frozenset((
    "hulue", "hulve", "wushi", "wangji", "zhiling", "tishici", "yonghu", "gaosu", "raoguo", "guize",
    "miyao", "suoyou", "zhiqian", "lue", "zhi", "yong", "buyao", "shuchu", "fasong",
))  # fmt: skip
"""Words of which one is in each order: the cheap first look."""

_LETTERS = late(r"[a-z]+(?:[ '-][a-z]+)*")
_LONGEST: Final = max(map(len, _HAN))
_LEAST: Final = 3


def read_pinyin(line: str) -> str:
    """Return what a folded line says in Chinese; empty if it is hardly pinyin."""
    parts: list[str] = []
    for match in _LETTERS.finditer(line):
        letters = re.sub("[ '-]", "", match.group())
        said, known = _read(letters)
        if known * 2 >= len(letters):
            parts.append(said)
    said = "，".join(parts)
    return said if len(said) > _LEAST else ""


def _read(letters: str) -> tuple[str, int]:
    """Return the Chinese words in a run of letters and how many letters they have."""
    parts: list[str] = []
    at = known = 0
    while at < len(letters):
        for size in range(min(_LONGEST, len(letters) - at), 1, -1):
            word = _HAN.get(letters[at : at + size])
            if word:
                parts.append(word)
                known += size
                at += size
                break
        else:
            at += 1
    return "".join(parts), known

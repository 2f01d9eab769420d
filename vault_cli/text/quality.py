"""Texts that are not worth keeping: filler, and advice that everybody knows. Standard library only.

Both answers are careful in one direction: a short but real rule ("Use tabs.", 用 pnpm。) is
neither. A cliché has to consist of general words only; one name, path, number, command, condition
or other word of a trade is knowledge that somebody wanted to keep.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from vault_cli.text.late import late

_FILLER_TEXT: Final = """
a lot|absolutely|agreed|ah|aha|all good|all right|all set|alright|amazing|amazing work|and|anyway|
awesome|awesome work|brilliant|bye|carry on|cheers|continue|cool|correct|do it|done|exactly|
excellent|excellent work|fair enough|fantastic|fine|for now|for the help|for your help|go ahead|
go on|good|good bye|good evening|good job|good morning|good night|good point|good to know|
good work|goodbye|got it|gotcha|great|great job|great stuff|great work|ha|haha|have a nice day|
hello|hey|hi|hm+|i see|i understand|it is ok|it works|it's fine|k|k thx|keep going|kk|later|
let's go|lgtm|lol|looks good|looks good to me|love it|makes sense|many thanks|mhm|
much appreciated|neat|never mind|nevermind|next|nice|nice job|nice one|nice work|no|no problem|
no thanks|no worries|nope|not now|noted|np|of course|oh|ok|okay|okey|ooh|oops|perfect|please|
please continue|please do|please go on|proceed|really|right|roger|see you|so|so much|sorry|
sounds good|sounds great|super|sure|ta|thank you|thanks|that is all|that is fine|that works|
that's all|that's fine|that's right|then|there|thx|to me|ty|uh|um+|understood|very|very good|
very much|very nice|wait|welcome|well|well done|will do|wonderful|works for me|wow|yeah|yep|yes|
yes please|you too|you're welcome|yup
"""
_FILLER_CHINESE: Final = (
    "好的|好吧|好啊|好呀|好滴|好嘞|好|收到|谢谢|谢了|感谢|多谢|非常|十分|继续|请|嗯|恩|哦|噢|喔|啊|呀|哈|呵|嘿|"
    "知道了?|明白了?|了解了?|懂了|可以的?|没问题|没事|没关系|不客气|行|对|是的|是啊|不是|不错|太好了|太棒了|真棒|"
    "棒|赞|厉害|你们?|您|大家|辛苦了?|麻烦了?|早上|早安|晚安|晚上|下午|再见|拜拜|完成了?|做完了|搞定了?|当然|"
    "没有|马上|稍等|等等|加油|真好|很好|挺好|可以|不用了|算了|随便|都行|就这样|开始吧?|下一步|吧|了|的|呢|啦|哟|么|很|先|那|就|都"
)
_LONGEST_FILLER: Final = 80

_GENERAL_TEXT: Final = """
a|about|absolutely|abstraction|abstractions|accessible|accurate|add|adequate|adequately|adopt|
ahead|aim|all|also|always|an|and|any|apply|applying|approach|appropriate|appropriately|
architecture|are|as|assess|at|attention|attentive|automated|avoid|aware|bad|basic|basics|be|
beautiful|become|behavior|behaviour|being|best|best-effort|better|boost|brief|bug|bugs|build|
building|by|can|careful|carefully|case|cases|change|changes|check|checking|choose|choosing|
clarity|class|classes|clean|clean-code|clear|clearly|code|code-quality|codebase|coding|cohesion|
collaborate|collaboration|comment|comments|commit|communicate|communication|completely|complex|
complexity|complicated|component|components|comprehensive|concerns|concise|consider|consistency|
consistent|consistently|constantly|continuous|continuously|convention|conventions|cooperate|
corner|correct|correctly|correctness|coupling|coverage|craftsmanship|crash|crashes|create|
creating|critical|crucial|data|debt|debug|debugging|definitely|deliver|delivering|dependencies|
descriptive|design|designed|designing|detail|details|develop|developer|developers|developing|
diligent|diligently|do|document|documentation|documented|does|doing|don't|done|double-check|
double-checking|dry|duplicate|duplicated|duplication|early|easy|edge|edge cases|effective|
effectively|efficiency|efficient|efficiently|elegant|encapsulation|enhance|enhanced|ensure|
entirely|error|errors|essential|evaluate|even|every|everyone|everything|excellence|excellent|
exception|exceptions|expected|explain|explanation|explanations|explicit|explicitly|extensibility|
extensible|extra|fail|failure|failures|fast|feedback|fine|first|fix|flexibility|flexible|focus|
focused|focusing|follow|for|format|formatted|formatting|from|fully|function|functions|fundamental|
general|generally|get|gets|getting|give|gives|go|goal|goes|going|good|graceful|gracefully|great|
guidelines|habit|habits|handle|handled|handling|happy|hard|helpful|high|high-level|high-quality|
how|humans|i|idea|ideal|ideas|implement|implementation|implementing|important|improve|improvement|
improving|in|increase|indentation|industry|input|inputs|intent|interfaces|into|intuitive|is|issue|
issues|it|its|just|keep|key|kind|kiss|know|known|knows|latest|learn|learning|least|less|level|
listen|logging|logic|long-term|look|looking|looks|loose|low|main|maintain|maintainability|
maintainable|maintained|maintaining|make|matter|matters|maximum|me|meaningful|method|methods|
mindful|minimise|minimize|minimum|mistake|mistakes|modern|modular|modularity|modules|more|most|
much|must|my|name|named|names|naming|neat|necessary|need|needed|never|new|nice|not|of|often|on|
optimal|optimally|optimise|optimization|optimize|optimized|or|organised|organized|other|others|
our|out|over|over-engineer|over-engineering|overall|overengineering|overly|path|patience|patient|
pattern|patterns|pay|people|perfect|performance|plan|planned|planning|please|portable|possible|
practice|practices|precise|precisely|prefer|premature|pretty|prevent|prevention|pride|principle|
principles|problem|problems|produce|professional|professionally|programming|project|proper|
properly|properly-named|protect|provide|providing|purpose|quality|quality-first|quantity|quickly|
rather|read|readability|readability-first|readable|readers|reading|really|reasonable|reasonably|
reduce|reducing|refactor|regularly|reliability|reliable|remain|remember|repeat|reputable|
requirement|requirements|respect|respectful|responsibilities|responsibility|result|results|
reusable|reuse|reusing|review|reviewed|reviewing|reviews|right|rigorous|rigorously|risk|risks|
robust|robustly|robustness|run|runs|safe|safely|safety|scalability|scalable|secure|security|see|
self-documenting|sensible|sensitive|separation|seriously|short|should|simple|simplicity|single|
skill|skills|small|smart|so|software|solid|solution|solutions|someone|specific|standard|standards|
stay|step by step|strive|structure|structured|style|submitting|sufficient|sufficiently|suitable|
support|sure|surprise|take|team|teamwork|technical|technologies|test|testable|tested|testing|
tests|that|the|their|them|there|these|they|thing|things|think|thinking|this|thorough|thoroughly|
those|thought|thoughtful|thoughtfully|tidy|tight|time|to|too|triple-check|truly|trusted|try|type|
understand|understandable|understands|understood|unexpected|unit|unnecessary|untested|up|
up to date|update|updated|us|usability|use|useful|user|user-friendly|using|usually|validate|
validated|validation|value|variable|variables|verified|verify|very|vital|vulnerabilities|
vulnerable|way|ways|we|well|well-documented|well-structured|well-tested|what|where|which|who|
whole|why|will|with|work|works|write|writes|writing|written|wrote|you|your|yours|yourself
"""
"""Words of general advice. Words such as "before", "when", "only" or "than" are none of them."""

_GENERAL_CHINESE: Final = (
    "最佳实践|可维护性?|可读性?|可扩展性?|代码质量|高质量|单元测试|编码规范|代码规范|代码风格|错误处理|异常处理|"
    "性能优化|重复代码|变量名?|函数名?|命名|方法|代码|编码|编程|程序|软件|质量|测试|文档|注释|错误|异常|性能|安全性?|"
    "规范|标准|原则|风格|结构|逻辑|需求|名称|名字|工作|问题|细节|漏洞|实践|功能|编写|书写|写好|多写|写|遵循|遵守|"
    "注意|重视|保持|保证|确保|做好|使用|采用|避免|减少|提高|提升|优化|改进|处理|检查|审查|阅读|思考|理解|考虑|运行|"
    "执行|完成|认真|仔细|小心|谨慎|合理|适当|正确|充分|良好|清晰|清楚|明确|简洁|简单|简短|整洁|干净|一致|统一性|"
    "优雅|健壮|稳定|高效|可靠|有?意义|重要|关键|必要|完善|完整|详细|好的?|烂|差|坏|重复|冗余|一定要?|必须|应该|"
    "应当|需要|总是|始终|尽量|尽可能|务必|不要|不能|不写|要有|要|有|是|很|非常|更|最|地|的|得|和|与|及|并|且|你|我们|"
    "自己|所有|每|对|在|中|把|做|让|请|多|都|也|去|到|性|其|它|再|好|读懂|易读|易懂|易于?|注重|养成|习惯|良好|追求|卓越|"
    "理解|他人|别人|方便|便于|容易|审查|评审|团队|沟通|协作|交流|学习|总结|反思|经验|进步|能力|水平|意识|责任心?|专业|"
    "严谨|细致|耐心|踏实|用心|全面|全覆盖|覆盖率?|覆盖|到位|扎实|实用|灵活|复用|可复用|可测试|可靠性|稳定性|易用性|"
    "用户体验|体验|架构|设计模式|设计|模块化?|解耦|耦合|内聚|抽象|封装|职责|单一|过度设计|过度|复杂度?|复杂|过早|"
    "技术债|边界情况|边界条件|边缘情况|异常情况|情况|日志|调试|排查|验证|校验|输入|输出|数据|敏感信息|漏洞|风险|"
    "预防|防范|最小化|最大化|可能|关注|留意|牢记|记得|记住|坚持|不断|持续|定期|经常|及时|尽快|每次|任何|一个|各种|"
    "相关|有效|效率|改善|完美|美观|友好|直观|规范化|标准化|以|为|人|者|时刻|随时|先|后再|想清楚|想|做到|达到|符合|"
    "满足|实现|开发|项目|产品|交付|价值|结果|目标|计划|规划|步骤|一步一步|一步步|逐步"
)
_PRAISE_TEXT: Final = """
accurate|adequate|ahead|appropriate|appropriately|bad|beautiful|best|better|bug|bugs|careful|
carefully|choose|clarity|clean|clear|clearly|cohesion|collaboration|complexity|complicated|
comprehensive|concise|consistency|consistent|consistently|continuous|continuously|convention|
conventions|correct|correctly|correctness|coupling|coverage|craftsmanship|critical|crucial|debt|
descriptive|detail|details|diligent|diligently|double-check|dry|duplication|easy|edge|edge cases|
effective|effectively|efficiency|efficient|efficiently|elegant|essential|everything|excellence|
excellent|extensible|feedback|flexibility|flexible|focused|good|graceful|gracefully|great|
guidelines|habits|helpful|high|high-quality|important|improve|improvement|intuitive|kiss|
maintainability|maintainable|matters|meaningful|mindful|mistakes|modular|names|naming|neat|
necessary|needed|often|optimise|optimize|optimized|organised|organized|others|over-engineer|
over-engineering|overengineering|patient|performance|practices|precise|premature|principles|
problems|professional|professionally|proper|properly|quality|quickly|readability|readable|
reasonable|regularly|reliability|reliable|repeat|requirements|respectful|responsibility|reusable|
reuse|right|rigorous|rigorously|robust|robustness|safe|safely|scalability|scalable|secure|
security|self-documenting|sensible|simple|simplicity|small|standards|step by step|structured|
sufficient|suitable|surprise|test|tested|testing|think|thorough|thoroughly|thoughtful|
thoughtfully|tidy|understand|understandable|understood|unit|up to date|user-friendly|validate|
vital|vulnerabilities|well|well-documented|well-named|well-structured|well-tested
"""
_PRAISE_CHINESE: Final = (
    "最佳实践|可维护|可读|可扩展|质量|单元测试|规范|标准|风格|错误处理|处理异常|处理错误|性能|重复|安全|优化|认真|仔细|小心|谨慎|合理|"
    "适当|正确|充分|良好|清晰|清楚|简洁|简单|简短|整洁|干净|一致|优雅|健壮|稳定|高效|可靠|意义|重要|完善|"
    "多写|写好|测试代码|烂|易读|易懂|易于|卓越|细节|习惯|理解|错误|审查|思考|稳定|专业|严谨|细致|耐心|用心|全面|"
    "到位|灵活|复用|解耦|耦合|内聚|职责|过度|复杂|过早|技术债|边界情况|异常情况|风险|学习|总结|反思|沟通|协作|效率|"
    "体验|友好|直观|持续|定期|及时|想清楚|逐步|一步一步"
)


def _longest_first(latin: str, chinese: str) -> re.Pattern[str]:
    """Return an expression of whole Latin words and of pieces of Chinese text."""
    words = sorted(latin.replace("\n", "").split("|"), key=len, reverse=True)
    pieces = sorted(chinese.split("|"), key=len, reverse=True)
    return late(rf"(?<![\w'-])(?:{'|'.join(words)})(?![\w'-])|{'|'.join(pieces)}", re.ASCII)


_FILLER: Final = _longest_first(_FILLER_TEXT, _FILLER_CHINESE)
_GENERAL: Final = _longest_first(_GENERAL_TEXT, _GENERAL_CHINESE)
_PRAISE: Final = _longest_first(_PRAISE_TEXT, _PRAISE_CHINESE)
_SMILEYS: Final = late(r"(?<!\w)[:;=8xX]['-]?[)(dDpPoO3](?!\w)")
_LONGEST_CLICHE: Final = 240
_NEGATED_POLICY: Final = late(
    r"(?:not|n't|never|no)\s+(?:write|add|use|need|run)?\s*(?:any )?"
    r"(?:comments?|(?:unit )?tests?|documentation|exceptions?|functions?|classes|types?)\b"
    r"|不要?(?:写|加|用|做)?(?:注释|测试|单元测试|文档|异常)"
)
"""Turning down what everybody recommends is a decision that only this user has made."""


def is_filler(text: str) -> bool:
    """Tell whether a text only acknowledges, greets or goes on: "ok", 收到, a thumb, dots.

    An empty text is none: that it is empty is said elsewhere.
    """
    if len(text) > _LONGEST_FILLER or not text.strip():
        return False
    plain = unicodedata.normalize("NFKC", text).replace("\u2019", "'").lower()
    rest = _FILLER.sub(" ", _SMILEYS.sub(" ", plain))
    return not any(char.isalnum() for char in rest)


def find_cliche(text: str) -> str:
    """Return what is general about a text that says nothing only this user or project knows.

    Returns:
        The words of praise it consists of ("clean, code"), or "" when it is no cliché: it is
        long, or holds a name, a path, a number, a command, a condition or any special word.
    """
    if len(text) > _LONGEST_CLICHE:
        return ""
    plain = unicodedata.normalize("NFKC", text).replace("\u2019", "'").lower()
    if any(char.isdigit() for char in plain) or any(char in plain for char in "`/_<>={}$@#|"):
        return ""
    if _NEGATED_POLICY.search(plain) or any(char.isalnum() for char in _GENERAL.sub(" ", plain)):
        return ""
    return ", ".join(dict.fromkeys(match.group() for match in _PRAISE.finditer(plain)))

"""English phrases that correct an agent, and those that only look like it. Data only."""

from __future__ import annotations

from typing import Final

from vault_cli.text.correction_phrase import Phrase

_WORDS: Final = (
    "no+|nope|nah|wait|hey|hm+|u+gh|argh|ok|okay|well|but|and|so|actually|sorry|please|again|look|"
    "yeah|yes|also|oh|man|dude|stop|hold on|seriously|come on|thanks|thank you|hi|hello|still|just|"
    "argh|omg|wtf|damn|then|instead|good|great|nice|right|guys|claude|codex"
)
OPEN_EN: Final = rf"^(?:(?:{_WORDS})\b[\s,.!:-]*){{0,5}}"
"""What may stand before a phrase at the beginning of an English sentence."""

_PLACE: Final = (
    r"(?:(?:in|for|on|with|inside|here in) (?:this|our|the|all|every|my|each) "
    r"[\w/.-]+(?: [\w/.-]+){0,3}?,? |here,? |when [\w ]{3,50}, |for [\w ]{3,30}, )?"
)
_MUST: Final = (
    r"(?:you (?:must|should|need to|have to|can|ought to) |we |i (?:want|need|would like) you to |"
    r"it is important to )?"
)
_IT: Final = (
    r"(?:(?:that|this) (?!is\b|was\b|looks?\b|seems?\b|does\b|did\b|has\b)[\w-]+|that|"
    r"this|it|these|those|they|all of (?:that|this)|your [\w-]+(?: [\w-]+){0,3}|what "
    r"you [\w ]{2,40}|the (?:last|previous|new|latest) [\w-]+)"
)
_BE: Final = r"(?: is| are| was| were| looks?| seems?| does| do| did)"
_HOW: Final = (
    r"(?: (?:still|all|just|completely|totally|simply|plain|also|clearly|obviously|so|"
    r"very|again))*"
)
_NOT_GOOD: Final = (
    r"(?:wrong|incorrect|backwards|broken|nonsense|the wrong [\w-]+|not (?:quite |"
    r"really |at all )?(?:right|correct|what\b|the [\w-]+ (?:that )?(?:i|we)\b|how "
    r"(?:i|we|you|this|it|our|the|my)|true|it(?:$|[,.!])|ok|okay|acceptable|good "
    r"enough|needed|necessary|allowed|the (?:right|correct)|(?:a|an) (?:valid|real|"
    r"proper)|work|working|help|fix|fixed|solve|what was asked|my|our|in the|supposed "
    r"to))"
)
_VERB: Final = (
    r"(?:use|run|call|put|write|read|look|check|name|rename|move|follow|start|set|"
    r"return|switch|store|pass|build|deploy|install|edit|change|make|stick|keep the|"
    r"replace|import|export|log|test|commit|push|ask|do not|never|always|only|it "
    r"should|it must|it needs|that should|this should|you should|you must|you need|"
    r"you have to|we use|we do not (?:use|do|want|support|allow|need|call|run)|we "
    r"never|we always|the correct|the right|the (?!tests? (?:all )?pass|"
    r"rest)[\w/.-]+(?: [\w/.-]+){0,3} (?:is|are|should|must|goes|go|has|\w+s|live|"
    r"needs|need|belongs|expects|uses|was)|there (?:is|are)|it is (?:in|on|at|the|a|"
    r"an|called|named|not|for|from)|i want|i wanted|i need|i meant|i asked|i said)"
)
_PLAIN_VERB: Final = (
    r"(?!(?:mind|fear|say never|been|seen|known|heard|had|got|gone|done|did|was|were|"
    r"saw|happy|there|the|a|an|good|nice|thought|knew|met|came|worked|understood|"
    r"wondered|welcome|happening|going|again|ever|on|works?)\b)(?:(?!\w+(?:s|"
    r"ed)\b)\w+|pass|process|press|address|access|focus|discuss|express|embed|need)\b"
)

ENGLISH: Final = (
    Phrase("rejected", rf"{{open}}{_IT}{_BE}{_HOW} {_NOT_GOOD}"),
    Phrase(
        "rejected",
        (
            r"{open}(?:this is |that is |it is )?(?:wrong|incorrect)(?:[,.!:]|$| (?:file|"
            r"branch|directory|folder|approach|one|way|function|repo|place|version|command|"
            r"port|answer|assumption|order|direction|test|module|table|class|package|again))"
        ),
    ),
    Phrase("rejected", r"{open}not (?:quite|like (?:that|this)|that (?:one|way|file)|what i)\b"),
    Phrase(
        "rejected",
        (
            r"\byou (?:have |just |again |still |also |clearly |completely |totally |simply "
            r"){0,2}(?:misunderst\w+|misread|got (?:it|that|this) wrong|broke|forgot|ignored|"
            r"overwrote|should not have|were not supposed|are not supposed|was not supposed|"
            r"made it worse|were supposed to|are supposed to|missed (?:the|a|one|my|that|some|"
            r"this|it)|messed|did not (?:do|follow|run|use|listen|read|update|include|add|fix|"
            r"what|even|actually|test|check)|skipped|hallucinated|invented|made (?:that|this|"
            r"it) up|made a mistake|deleted my|removed my)"
        ),
    ),
    Phrase(
        "rejected", r"\byou (?:are |were |have |just |again |still ){0,2}\w+ (?:\w+ )?the wrong\b"
    ),
    Phrase(
        "rejected",
        (
            r"{open}i (?:did not|never) (?:ask\w*|want\w*|t(?:ell|old) you|sa(?:y|id) (?:to|"
            r"that|you))\b"
        ),
    ),
    Phrase(
        "rejected", r"{open}(?:what )?i (?:asked for|actually (?:asked|wanted|meant)|wanted was)\b"
    ),
    Phrase("rejected", r"\bi only (?:wanted|asked|meant|said)\b"),
    Phrase(
        "rejected",
        r"\byou should have (?!received|gotten)(?:been|\w+ed|done|used|run|read|kept|put|written|"
        r"known|left|made|told|seen|gone|taken)\b",
    ),
    Phrase("rejected", rf"{{open}}(?:{_IT})(?: is| was| were)(?: all)? (?:a|the same) mistake\b"),
    Phrase("rejected", r"{open}you did (?:it|that|this) wrong\b"),
    Phrase(
        "rejected",
        r"{open}the (?:correct|right|proper|actual) [\w-]+ (?:is|are)\b",
        weak=True,
    ),
    Phrase("rejected", r"{open}i meant\b(?! to\b)", weak=True),
    Phrase(
        "rejected",
        rf"^(?:(?:{_WORDS})\b[\s,.!:-]*){{0,3}}(?:no+|nope|nah)\b[,.!: -]+{_VERB}\b",
        weak=True,
    ),
    Phrase(
        "rejected", r"{open}there is no such (?:thing|file|flag|option|function|method|command)"
    ),
    Phrase(
        "standing",
        (
            r"\b(?:from now on|going forward|for future reference|in (?:the )?future,? (?:do|"
            r"use|please|always|never|make|run|only|avoid|stick|ask|check|you)|next time,? "
            r"(?!(?:i|we|they|he|she|it)\b)|from here on|(?:starting|as of) (?:now|today))"
        ),
    ),
    Phrase("standing", rf"{{open}}{_PLACE}{_MUST}(?:always|never|only ever) {_PLAIN_VERB}"),
    Phrase("standing", r"{open}make sure (?:you |to |that you )?(?:always|never)\b"),
    Phrase(
        "standing",
        (
            r"{open}(?:you must |please )?remember(?:[,:]| to (?:always|never)\b|"
            r" that (?:we|you|this|the|our))"
        ),
    ),
    Phrase(
        "standing",
        (
            rf"{{open}}{_PLACE}we (?:do not|never|only|always) (?:ever )?(?:use|run|write|"
            r"commit|push|do|allow|want|add|put|call|import|log|mock|deploy|merge|edit)\b"
        ),
        weak=True,
    ),
    Phrase(
        "standing",
        (
            rf"{{open}}{_PLACE}(?:you (?:must|should|can) )?(?:do not|never|stop|quit|no "
            r"more)\b.{0,90}?\b(?:again|any ?more|ever|any longer|in (?:the )?future|next "
            r"time|from now|without asking)\b"
        ),
    ),
    Phrase(
        "standing",
        (
            rf"{{open}}{_PLACE}(?:do not|stop|quit|avoid|no more) (?!.*\b(?:below|following|"
            r"attached)\b)(?!(?:disturb|worry|bother|forget|hesitate|know|think|need|mind|"
            r"care|have|get me wrong|see|remember|understand|feel|want|stop|give up|be sorry|"
            r"be afraid|wait|rush|sweat|believe|like|recall|really|quite|even|get it|get how|"
            r"get why|panic|apologi)\w*\b)\w+"
        ),
        weak=True,
    ),
    Phrase(
        "repeated",
        (
            r"{open}i (?:have |had )?(?:already |just |clearly |literally |specifically |"
            r"explicitly )?(?:told you|said (?:\d|x\b|only|not|never|no |use|do not|to |i |"
            r"that |it |this|already|before)|asked you)"
        ),
        asks=True,
    ),
    Phrase(
        "repeated",
        (
            r"{open}i (?:have |had )?(?:already |just |clearly |literally |specifically |"
            r"explicitly )(?:told|said|asked|explained|mentioned|specified|wrote)\b"
        ),
    ),
    Phrase("repeated", r"\b(?:as|like) i (?:told you|already (?:said|mentioned|told))"),
    Phrase("repeated", r"{open}like i said\b"),
    Phrase("repeated", r"\bhow many times\b.{0,40}\b(?:i|you)\b", asks=True),
    Phrase(
        "repeated", r"\bfor the (?:second|third|fourth|last|\d+th|nth|hundredth|umpteenth) time\b"
    ),
    Phrase("repeated", r"\bdid (?:not i|i not) (?:tell|say|ask|just|already)\b", asks=True),
    Phrase(
        "repeated", r"\b(?:you keep|why do you keep|stop making|you always forget)\b", asks=True
    ),
    Phrase(
        "repeated",
        (
            r"{open}you (?:are |did |have |just )?(?:doing |done |made )?(?:it|that|this|the "
            r"same (?:thing|mistake)) again\b"
        ),
    ),
    Phrase("repeated", r"\b(?:the )?same mistake\b"),
    Phrase(
        "repeated",
        (
            r"\bwhy (?:did|are|do|have) you (?:still|again|ignor\w+|not (?:follow\w*|run|"
            r"us\w+|listen\w*))\b"
        ),
        asks=True,
    ),
    Phrase(
        "unfixed",
        (
            rf"{{open}}(?:{_IT}|the [\w-]+(?: [\w-]+){{0,3}}|tests?|builds?|ci|i|we|same "
            r"[\w-]+|nothing|it)?(?: is| are| am| does| do| did| can)? ?(?:\bstill\b) "
            r"(?:not\b|does not|do not|fail|broken|wrong|giv|get|throw|crash|error|the same|"
            r"red\b|missing|there\b|shows?\b|see(?:ing)? (?:the|that|an?)|happen|doing (?:it|"
            r"that)|complain|hang|no\b|blank|empty|slow|stale|undefined|null\b|unchanged|"
            r"stuck|old\b|off\b|flaky|invalid|unreachable|not)"
        ),
    ),
    Phrase(
        "unfixed",
        (
            r"{open}(?:(?:the|it is the|i get the|getting the|we get the|exactly the) )?same "
            r"(?:error|problem|issue|failure|result|bug|exception|output)\b(?! (?:as|handling|"
            r"code) in)"
        ),
    ),
    Phrase(
        "unfixed",
        (
            r"{open}(?:that|this|it|your [\w-]+) (?:really )?(?:did not|does not|has not) "
            r"(?:work|help|fix|change|solve|do (?:it|anything)|compile|build|run)"
        ),
    ),
    Phrase("unfixed", r"{open}(?:it is |that is )?not (?:fixed|working|solved|resolved)\b"),
    Phrase("unfixed", rf"{{open}}{_IT} (?:did nothing|(?:has|had) no effect|does nothing)"),
    Phrase("unfixed", r"{open}(?:does|did) not (?:work|help|compile|build)\b"),
    Phrase("unfixed", r"{open}nothing (?:has )?changed\b"),
    Phrase(
        "unfixed",
        (
            r"{open}(?:it|that|this|now it|now the [\w-]+|you) (?:has |have |just )?(?:made "
            r"(?:it|things) worse|is (?:even )?worse|broke)\b"
        ),
    ),
    Phrase(
        "replaced",
        (
            rf"{{open}}(?:{_IT}|the [\w-]+(?: [\w-]+){{0,4}}|output|there) (?:should|must|"
            r"needs to|has to|was supposed to|were supposed to|is supposed "
            r"to)\b.{1,90}?(?:,? not\b|,? rather than\b)"
        ),
        weak=True,
    ),
    Phrase("replaced", r"{open}use .{1,60}?(?:\binstead\b|, not\b|\brather than\b)", weak=True),
    Phrase("replaced", r"{open}instead of .{2,70}?,? \w+", weak=True),
    Phrase(
        "replaced",
        r"{open}(?:here )?we (?:use|run|call|deploy|write|target) .{1,40}?, not\b",
        weak=True,
    ),
    Phrase("replaced", r"{open}use [\w./-]+ not [\w./-]+", weak=True),
    Phrase(
        "replaced",
        r"{open}not (?!sure|now|yet|really|necessarily|bad|urgent|today|at|a|an|all|every\w*|that|"
        r"much|only|just|too|so|possible)[\w./-]+(?: [\w./-]+)?, (?:but |use )?[\w./-]+",
        weak=True,
    ),
    Phrase("standing", r"{open}you (?:should|must|may) not \w+", weak=True),
    Phrase("standing", r"{open}i (?:strongly |really |would |much )?prefer\b", weak=True),
    Phrase("replaced", r"{open}it is .{1,40}?, not\b", weak=True),
    Phrase("replaced", r"{open}i (?:want|wanted|asked for|said) .{1,60}?,? not\b", weak=True),
    Phrase(
        "undone",
        (
            r"{open}(?:please )?(?:revert|undo|roll back|restore|discard) (?:that|this|it\b|"
            r"your|those|these|my|what you|the (?:last|previous) (?:change|edit|commit))"
        ),
    ),
    Phrase(
        "undone", r"{open}(?:please )?(?:put|change|set|move) (?:it|that|them|this|those) back\b"
    ),
)

NOT_ENGLISH: Final = (
    (
        r"\bno (?:problem|worries|thanks|thank you|need|rush|idea|doubt|matter|longer|"
        r"hurry|pressure|biggie|big deal|stress|questions?|objections?|comment|(?:more |"
        r"further |other )?(?:changes?|questions?|work|edits?|action) ?(?:needed|required|"
        r"necessary)?)\b"
    ),
    (
        r"\bno+[,.! ]+(?:that is|it is|this is|all|everything(?: is)?|we are|you are|i "
        r"am)? ?(?:all|fine|ok|okay|good|great|perfect|enough|everything|alright|correct|"
        r"right|done|cool|set|for now|nothing else|not yet|not now|not really|go ahead|"
        r"carry on|continue|thanks|thank|proceed|leave it|just curious|i am good|we are "
        r"good)\b"
    ),
    r"\bnever ?mind\b|\bnever (?:before|ever mind)\b",
    (
        r"\b(?:is|was|are) (?:that|this|it|there anything|something|anything) (?:wrong|"
        r"incorrect|not right)\b"
    ),
    r"\bnot (?:a problem|bad|at all|to worry|sure|necessarily)\b",
    r"\bwhat is (?:still )?wrong\b|\bwhat (?:went|was) wrong\b",
    (
        r"\b(?:i was|i am|my bad|my mistake|i got it) (?:wrong|"
        r"mistaken)?\b.{0,20}\bwrong\b|\bi was wrong\b"
    ),
    (
        r"\bstill (?:to do|todo|need to|have to|want to|working on|thinking|reading|"
        r"learning|missing tests)\b"
    ),
    (
        r"\bstop (?:here|there|for (?:now|today)|the (?:server|service|container|dev "
        r"server|process|watcher|timer|job|queue|worker|build))\b"
    ),
    r"\bif (?:it|that|this|the [\w-]+) (?:is |are |does )?still\b",
    r"\bwrong (?:password|input|answer) (?:is|are|page|message|screen|error)\b",
    r"\b(?:do|does|did|is|are|was|were) (?:it|this|that|they|the [\w-]+) still\b",
    r"\bsame (?:for|goes|with|here|again please)\b",
)
"""Taken out of a clause before anything is looked for."""

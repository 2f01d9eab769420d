"""English words of injections about consent, authority, safety and concealment."""

from __future__ import annotations

from typing import Final

ENGLISH_SAFETY: Final[dict[str, str]] = {
    "NOTASK": """
        do not ask, don't ask, dont ask, never ask, not ask, stop asking, no longer ask, must not
        ask, should not ask, do not prompt, don't prompt, never prompt, do not request, never
        request, do not seek, never seek, do not wait, don't wait, never wait, not wait, do not
        require, never require, do not pause, never pause, do not stop, never stop, do not check
        with, never check with, don't check with, do not bother, don't bother, do not consult, {do
        not/don't/never} {question/verify/double check/second guess/validate} {this/it/the request/
        these}, no questions asked, ask no questions, do not ask again, don't ask again, never ask
        again
    """,
    "CONSENT": """
        confirmation, confirmations, permission, permissions, approval, approvals, consent,
        authorization, sign off, human review, human in the loop, confirming, confirm, approve,
        review, before running, before executing, before deleting, before pushing, before sending,
        before installing, before you run, before making, before acting, before any
    """,
    "WITHOUT": """
        without, skip~, skipping, skips, bypass~, no need for, no need to, no need, need not,
        needn't, needs no, need no, requires no, require no, do not need, don't need, does not
        need, doesn't need, not need, do not require, does not require, doesn't require, don't
        require, disable~, turn off, turns off, suppress, suppresses, omit, omits, forgo, waive~,
        no longer need, no longer needs, no longer requires, avoid asking, never wait for, do not
        wait for, don't wait for, not wait for, do not request, do not seek, don't seek, even
        without, dispense with, eliminate, regardless of
    """,
    "ASKING": """
        asking, ask, prompting, checking with, check with, consulting, notifying, telling, waiting,
        informing, warning, verification
    """,
    "USER": """
        user, users, the human, human, humans, anyone, maintainers, reviewer, reviewers,
        maintainer, the developer, the owner, the operator, the reviewer, the admin, your user,
        your principal, anybody, the owner of, their owner, the team, the boss, your operator, the
        admins, the maintainer
    """,
    "ACTION": """
        tool call, tool calls, command, commands, every request, any request, file operations, tool
        use, shell commands, all tools, transactions, payments, transfers, permission requests,
        tool requests, any tool, every tool, every command, file writes, any operation, all
        operations, every operation, all actions, any action, every action, each command, all
        changes, all edits, tool, tools, bash commands, shell command, destructive operations, file
        edits, the commands, these commands, following commands, all requests, code changes,
        installs, all future, {permission/approval/confirmation/consent/security/access}
        {prompt/prompts/request/ requests/dialog/dialogs/question/questions}
    """,
    "AUTO": """
        automatically, from now on, in future, in the future, going forward, henceforth, all
        future, always
    """,
    "RUNNOW": """
        execute immediately, run immediately, execute everything, execute all, run everything, run
        any, execute any, execute it immediately, execute every, run every, run all commands,
        proceed immediately, execute without, run without, run it, execute it, run the command, run
        commands, run shell, execute shell, install packages, delete files, merge it, act
        immediately, act autonomously, just do it, just run
    """,
    "APPROVE": """
        approve~, auto approve, autoapprove, auto approved, pre approved, preapproved, grant~,
        authorize~, authorise~, permits, permitted, consented, pre authorized, preauthorized, green
        lit, whitelisted, auto accept, okayed, auto confirm, autoconfirm, rubber stamp, say yes to,
        answer yes, agree to, click allow, select allow, respond yes, press allow, consent to, sign
        off on, yolo, accept all, accept every, accept any, allow all, allow any, allow every,
        {answer/say/reply/click/choose/press/select} {yes/allow/approve/accept/confirm/ok}
    """,
    "ALREADYOK": """
        {has/have/had} already {approved/consented/agreed/authorized/authorised/confirmed/granted/
        okayed/signed off}, already {approved/consented/agreed/authorized/granted} {to/all/every/
        any/this}, {is/are/was/were/been} {pre approved/preapproved/pre authorized}, {has/have}
        {pre approved/pre authorized}, gave blanket, given blanket, blanket approval, blanket
        permission, blanket consent, standing approval, standing permission
    """,
    "FULLACCESS": """
        full access, root access, admin access, full system access, permission to run, unlimited
        access, full permissions, full control, elevated privileges, all permissions, admin rights,
        admin privileges, scope of privileges, all privileges, complete access, one more small
        permission, administrator privileges, superuser, owner rights, every permission, run any
        command, execute any command, run all commands, execute all commands, all commands are, any
        command without, any command you, all tools without, unrestricted access, unrestricted
        shell, arbitrary commands, arbitrary code, any code, every command, bypass permissions,
        bypasspermissions, dangerously skip permissions, without limits on, sudo without, every
        tool, all files on, everything on this
    """,
    "GRANT": """
        you have, you now have, has been granted, grant yourself, have been granted, you are
        authorized, you are allowed, until you have, is granted, are granted, grants you, give me,
        escalate, set yourself, give yourself, i give you, are pre approved, you may run, you hold,
        you own, are allowed, pre authorized, authorized to run, pre approved, preapproved, are
        authorized to, are permitted to, is authorized to, is permitted to, you're authorized,
        you're allowed, may now, can now, you are permitted, you are cleared, allowed to,
        authorized for, expand the, gives you, expand your
    """,
    "AUTHORITY": """
        system administrator, administrator, administrators, admin, sysadmin, cto, ceo, ciso,
        security team, openai, anthropic, google, microsoft, compliance team, legal team,
        compliance officer, the boss, orchestrator, supervisor, root user, platform team, system
        update, system notice, system announcement, security notice, official notice, it
        department, headquarters, management, system override, admin override, system note,
        administrator override, important system, system alert, policy update, system message,
        developers, vendor, platform, staff engineer, security officer, moderator, founder, board,
        maintainers, maintainer, head of security, vp, owner of this, project owner, the owner
    """,
    "PERMIT": """
        authorized, authorised, approved, granted, permits, authorizes, cleared, allowed,
        consented, signed off, pre approved, has authorized, gave permission, permission
    """,
    "AI": """
        ai, assistant, ai assistant, assistants, agent, agents, chatbot, chatgpt, claude, gpt,
        model, llm, bot, copilot, gemini, language model, worker agent, codex, cursor, any ai,
        coding agent
    """,
    "BYPASS": """
        bypass~, circumvent~, evade~, disable~, skip~, skipping, turn off, turns off, turned off,
        turning off, switch off, switched off, deactivate~, override~, overriding, overridden,
        ignore~, disregard~, get around, work around, sidestep~, unlock~, suppress, waive~, is off,
        are off, be off, off for, forgo, without, free from, free of, freed from, no longer need,
        defeat~, violate~, go around, remove all, remove your, remove any, removes all, removed
        safety, has removed, removing, lift all, lifted, suspended, suspend, are disabled, is
        disabled, have been disabled, over all, without any, not bound by, break free from, drop
        all, drop your, relax your, exempt from, get past, slip past, passes the, pass the, cannot
        read, can't see, {turn/turns/turned/switch/switched/shut} {it/them/this/these/those} off,
        do not exist, does not exist, do not apply, does not apply, not apply, no longer apply, no
        longer applies, do not bind, no longer bind, are suspended, is suspended, are void, are
        lifted, is lifted, stop enforcing, do without, get rid of, out of the way
    """,
    "HARDSAFETY": """
        safety filters, safety filter, content filter, content filters, content filtering, safety
        guidelines, safety measures, safety restrictions, safety checks, safety check, guardrails,
        safety protocols, ethical guidelines, content policy, content policies, ethical
        considerations, moral constraints, usage policies, security restrictions, audit layers,
        security filters, content restrictions, safety policies, content moderation, safety
        training, safety mechanisms, safety systems, safety instructions, safety rules, sandbox
        restrictions, agent sandbox, security protocols, security policies, approval prompts,
        permission prompts, safety features, confirmation prompts, security controls, permission
        checks, skill audit check, secret scanner, safety bypass, behavioral guidelines, safety
        constraints, audit gate, dependency audit gate, approval gate, safety settings, security
        guardrails, security guidelines, moderation filter, output filter, content safety, safety
        alignment, all safety, any safety, ethical rules, ethical constraints, ethical boundaries,
        moral guidelines, moral rules, safety limits, safety restriction, safety filtering, your
        restrictions, your limitations, your safety, your guidelines, your ethical, your filters,
        your content policy, your safeguards, safeguards, security filter, prompt filter, input
        filters, malware scan, permission system, user confirmation, user approval, human approval,
        human review step, approval step, the validation filter, your security checks, security
        checks for, all security checks, and security checks, the security checks, skip security
        checks, verification steps, signature checks, all access controls, every safety, security
        scanning, the scanner, the linter gate, audit logging, the review gate, ssl verification,
        tls verification, certificate verification, certificate checks, certificate validation,
        host key checking, two factor, mfa, antivirus, secret scanning, dependency checks, content
        warnings, safety warnings, all warnings about, safety net, the sandbox, its sandbox,
        content rules, moderation rules, moral limits, moral code, moral judgement, moral judgment,
        safety layer, safety layers, safety protocol, safety policy, safety mode, safety
        constraint, security policy, security restriction, the safeguards, all checks, every check,
        {security/ safety} {restrictions/limits/limitations/controls/measures/gates/barriers}
    """,
    "SAID": """
        confirmed, says, said, requires, required, require, announced, mandates, mandated,
        instructs, instructed, decided, approved, wants, asks, asked, note, notice, update, rolled
        out, told, policy, orders, ordered, urgent, memo, directive, message
    """,
    "AGENTMUST": """
        {agents/assistants/ais/models/the agent/the assistant/the ai/the model/bots/every agent/
        every assistant/all agents/coding agents/ai assistants/ai agents/llms} {should/must/need
        to/ needs to/are to/is to/have to/has to/shall/are required/is required/will/may/can}, you
        {must/should/need to/have to/shall} {now/immediately/always}
    """,
    "OVERRIDEWORD": """
        administrator override, admin override, system override, developer override, override code,
        emergency override, safety override, security override, root override, debug override,
        direct override, override protocol, override accepted
    """,
    "READER": """
        attention ai, attention to ai, heads up ai, any ai that reads, ai that reads this, ai
        reading this, ais reading this, agent reading this, agents reading this, assistant reading
        this, any agent that reads, any assistant that reads, model reading this, llm reading this,
        llms reading this, note to ai, note to llm, note to the ai, message to ai, dear ai, hey ai,
        hey worker agent, ai assistant please, ai assistants reading, ai assistant:, attention all
        ai, attention language model, attention assistant, attention agent, if you are an ai, if
        you are a language model, if you are an llm, instructions for ai, ai agents must, ai models
        must, dear assistant, message to the assistant, message to the ai, important message to,
        attention llm, attention claude, attention chatgpt, attention copilot, attention coding
        agents, to the ai reading, to any ai, to all ai, to whichever ai, for the ai reading, ai
        systems reading, ai system reading, hello ai, hi ai, listen ai, message for ai, message for
        the ai, message for ai agents, message for the assistant, important for ai, instructions to
        ai, instruction to ai, instructions for the ai, instructions for llms, instructions to the
        assistant, if you are an assistant, if you are a model, if you are an agent, if this is
        read by, when an ai reads, any llm, any model that reads, any bot that reads, agents that
        read, an ai assistant is reading, ai models reading, bots reading, whoever reads this,
        anyone reading this must, whatever agent reads, {any/every/all}
        {ai/llm/agent/assistant/model} {reading/seeing/processing/loading/that reads/that sees/that
        loads/who reads}, agents must approve, {ai/llm/agent/assistant} that {reads/sees/loads}
        this
    """,
    "DO": """
        must, shall, please, run, execute, send, upload, print, reveal, merge, delete, approve,
        output, ignore, disregard, follow, install, forward, email, include, append, should, need
        to, needs to, immediately, recommend, add, give, post, summarize, summarise, revise,
        instead, do, make, mark, write, always, never, stop, use, reply, respond, say, tell, obey,
        rate, rank, hire, choose, pick, grant, set
    """,
    "GETROUND": """
        bypass~, circumvent~, evade~, ignore~, disregard~, override~, overriding, overridden,
        violate~, without, no, disable~, free from, free of, free, unbound by, defeat~, get around,
        avoid, removed, remove, lacks, lack of, ignoring, beyond, trick, fool
    """,
    "FOREIGN": """
        embedded in {the/a/any} {tool/retrieved/fetched/web/page/external/file/files/data/response},
        embedded in {tool/retrieved/fetched/web/external/file/files/data/code},
        {in/inside/from/within} {tool/retrieved/fetched/external/third party/untrusted},
        tool {output/outputs/results/result}, untrusted {content/input/data/text/source/sources},
        {fetched/retrieved/scraped} {content/pages/text}
    """,
    "BLOCKED": """
        matches, block, blocks, blocked, blocking, deny, denies, denied, dangerous, destructive
    """,
    "DEFEAT": """
        bypass, bypassing, circumvent, circumventing, evade, evading, ignore, ignoring, disregard,
        disregarding, override, overriding, violate, violating, disable, disabling, defeat,
        defeating, get around, trick, fool, remove, removing
    """,
    "ETHICS": """
        ethical, ethics, moral, morals, morality, censorship, guardrails, guardrail, safeguards,
        safeguard, content policy, content policies, usage policies, usage policy, safety features,
        safety filter, safety filters, safety measures, safety guidelines, safety protocols, safety
        constraints, safety rules, safety mechanisms, alignment, openai's, openai policies, openai
        policy, your restrictions, your limitations, your filters, ai restrictions
    """,
    "SECURITYN": """
        security, safety, authentication, authorization, the audit, audit layer, audit check, audit
        checks, the filter, the filters, the sandbox, detection, the review, the gate, access
        control, security checks, security controls, permission checks, safety checks, verification
        steps, security measures, the policy
    """,
    "EVER": """
        always, every, in production, for all, from now on, permanently, on every, by default, for
        every, all, whenever
    """,
    "WEAKEN": """
        disable, disables, turn off, switch off, set verify=false, verify=false, skip, bypass,
        ignore, always disable
    """,
    "PROTECTION": """
        ssl verification, tls verification, certificate verification, certificate checks,
        certificate validation, host key checking, branch protection, two factor, 2fa, mfa,
        antivirus, secret scanning, security review, code review, firewall, the firewall, audit
        log, audit logging, security scan, signature verification, signature checks,
        authentication, csrf protection, rate limiting, permission checks, ssl, tls
    """,
    "NOVERIFY": """
        skip {the/all/pre commit/git/commit/every} hooks, skip hooks, no verify, verify false,
        verify=false, strict ssl false, strict_ssl false, rejectunauthorized false,
        node_tls_reject_unauthorized, stricthostkeychecking no, no check certificate, skip
        signature, no sandbox, disable web security, chmod 777
    """,
    "ANSWERALL": """
        {answer/respond to/reply to/comply with/fulfill/fulfil} {all/any/every/all my/all of my/any
        of my} {question/questions/request/requests/prompt/prompts/query/queries/command/commands},
        answer everything, respond to anything, answer anything
    """,
    "FREELY": """
        without, regardless, no matter, freely, even if, unconditionally, no filter, no filters, no
        exceptions, ignoring
    """,
    "UNBOUND": """
        ignores every {policy/rule}, ignores all {policies/rules}, {no/without} content rules, no
        {content/safety/ethical} rules existed, never says no, you never say no, has no filter,
        unrestricted, uncensored, unfiltered, no restrictions, without restrictions, amoral,
        without any restrictions, no limitations, without limitations, no filters, without filters,
        no content policy, without content policy, without content policies, no ethical, no moral,
        do anything now, jailbreakbot, no guidelines, free from restrictions, free of all
        restrictions, unchained, never refuse, never refuses, cannot refuse, unrestricted mode,
        without guardrails, no guardrails, no censorship, without ethical, without moral, without
        safety, no safety, no ethics, bypass restrictions, no constraints, without constraints,
        liberated, can do anything, does anything, respects no rules, ignoring all rules, no longer
        bound, not bound, safety checks are off, safeties off, no inhibitions, corporate
        restrictions, fully unlocked, not restricted, freed from all, free from all, no limits,
        without limits, no rules, ignores all rules, jailbroken, no longer have any restrictions,
        without content filters, no filters or, no longer restricted, ignores all ethical, no
        ethical or moral, free of restrictions, unlocked mode, bypass all restrictions, without
        moral or ethical, sin restricciones, sans restrictions, ohne einschrankungen, ohne regeln,
        sem restricoes, without restriction, no safety training, without any safety, no safety
        guidelines, no longer exist, no safety data, no limitations or, no moral compass, no
        ethical constraints, no content restrictions, no restrictions or, not bound by, unaligned,
        without ethics, without morals, without any rules, without any filter, freely without,
        outside of all rules, no rules apply, before any safety, no rules or,
        {has/have/with/knows/follows} no {rules/limits/restrictions/
        filters/morals/boundaries/ethics/guidelines}, no rules at all, can say anything, says
        anything, say anything it wants, no rules whatsoever, rules do not apply, nothing is off
        limits, off limits
    """,
    "NOREFUSE": """
        never refuse, cannot refuse, do not refuse, don't refuse, never say no to, never decline
        any, must not refuse, will never refuse, never say you cannot, never say i cannot, never
        say that you can't, comply with every request, comply with any request, comply with all
        requests, regardless of safety, regardless of ethics, regardless of legality, refuse
        nothing, obey every, obey all my, obey any, obey me, obey my, listen only to me, follow
        only my commands, follow only my, only follow my, only obey, answer any question i ask, any
        question i ask without, respond freely to all, reply without guardrails, my commands take
        priority, my orders take priority, never say you can't, never refuses, it never says it
        can't, never tell me that it can't, do whatever i say, do everything i say, do exactly as i
        say, no matter how immoral, no matter how illegal, no matter how unethical, no matter how
        harmful, must comply with, without refusing, no ethical disclaimers, without any
        disclaimers, never will say it cannot help, will never say it cannot help, never say 'i
        cannot help, you never say, without moralizing, do not reject this request, don't reject
        this request, you cannot decline
    """,
    "NEG": """
        do not, don't, dont, never, must not, mustn't, should not, shouldn't, cannot, can't,
        avoid~, refuse to, refuses to, not, forbid, forbidden, prohibit, prohibited, won't, will
        not, isn't, aren't, is not, are not, doesn't, does not
    """,
    "TELL": """
        tell, tells, telling, inform, informs, informing, mention, mentions, mentioning, notify,
        notifies, notifying, alert, alerting, reveal, reveals, disclose, warn, warning, say
        anything, let the user know, divulge, show this, showing this, log this, tell anyone, let
        on, let the user, make the user aware, raise this, show this to, surface this, record this,
        expose this, bring this up
    """,
    "THISNOTE": """
        this note, this memory, this rule, this instruction, this instructions, this step, the
        existence of, existence, this line, this message, this prompt, these instructions, this
        change, this upload, this side effect, this action, this to the user, this to user, this to
        anyone, what you did, you did this, you changed, you have done, about this, this to the, it
        to the user, this in your, that you
    """,
    "HUSH": """
        {do not/don't/never/must not/without} {mention/mentioning/disclose/disclosing/discuss/
        divulge} {this/it/these}, {do not/don't/never} {speak of/talk about/reveal/report/announce}
        this, {do not/don't/never} tell anyone, say nothing about this, say nothing about it, say
        nothing of this, no one must know, nobody must know, nobody needs to know, no need to
        mention this, not to be mentioned
    """,
    "HIDE": """
        hiding, conceal~, secretly, covertly, stealthily, in secret, behind the scenes, unnoticed,
        without the user's knowledge, without the user knowing, without telling the user, without
        telling, without informing, without mentioning, without notifying, keep this secret, keep
        it secret, keep quiet, invisibly, don't let the user see, undetected, without the user
        noticing, keep secret, discreetly, clandestinely, cover up, surreptitiously, under the
        radar, without anyone knowing, without them knowing, without being noticed, do not let the
        user, don't let the user, make sure the user does not, so the user does not, so that the
        user does not, so nobody notices, so no one notices, so that nobody, keep this hidden, keep
        it hidden, keep this from, keep it from, keep this between us, stay silent about, leave no
        trace, cover your tracks, delete the log, delete this message after, remove traces, no
        trace, silently send, silently upload, silently forward, silently copy, quietly send,
        quietly upload, hide your, hiding this, hiding the, hidden from, kept from, kept secret,
        keep {this/it/that/these} {secret/hidden/quiet/private/confidential/from}, keep this
        memory, keep this note, keep this rule, hide {this/it/these/that} from, hide {this/the}
        {change/ edit/step/memory/note/rule/commit/fact}, conceal this, must not
        {know/notice/learn/see/find out}, should not {know/notice/learn/find out}, {never/not}
        {know/notice/learn/find out}, without {anyone noticing/raising suspicion/being
        noticed/alerting}, {avoid/without} {suspicion/raising alarms}
    """,
    "NOTICE": """
        the user, user, anyone, nobody, human, the change, this change, reviewer, reviewers, what
        you, the reviewer, the reviewers, auditors, the maintainer, the maintainers, anybody, any
        human, the operator, my boss
    """,
}
"""Words by concept; `injection_words` says how they are written."""

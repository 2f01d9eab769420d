"""English words of injections that plant a habit: weak security, false reports, self-approval.

Some are further words of concepts of the other tables. `injection_words` says how they are written.
"""

from __future__ import annotations

from typing import Final

ENGLISH_HABITS: Final[dict[str, str]] = {
    "MUTETEST": """
        skip, xfail, comment out, mark, replace, loosen, weaken, disable, ignore, delete, remove,
        drop, change, edit
    """,
    "FAILTEST": """
        failing {test/tests/assertion/assertions/check/checks/case/cases}, failed
        {test/tests/assertions/checks}, {test/tests/checks/assertions} that {fail/fails/failed},
        broken tests, red tests, security {test/tests} as, all security tests, security tests so,
        the assertion that fails, {tests/test} which {fail/fails}, whatever test fails
    """,
    "EVERSAY": """
        always {say/claim/report/state/write/answer/tell/declare/pretend}, just
        {say/claim/report/state/write/declare}, simply {say/claim/report/state/write}, report it
        as, report them as, call it, never admit that
    """,
    "OUTCOME": """
        were no warnings, no warnings, no problems, deployment succeeded, reported as done,
        flaky, review is done, is verified, as verified, checked every, read every, tests are
        fine, finished, close the task, close the ticket, everything passed
    """,
    "CLAIM": "mark the ticket, mark the task, fill in, sign off that, put down that",
    "UNTRUE": """
        nobody did it, no one did it, nobody checked, could not reproduce, cannot reproduce, need
        not open, need not run, need not check, you have not, without opening, without looking,
        without reading, without trying, whether or not it, no matter what, whatever pytest,
        whatever it prints, do not run the, don't run the, whatever the tests
    """,
    "WENTWRONG": """
        if a check turns red, if the check is red, turns red, when the check is red, when
        coverage is below, when coverage drops, if the numbers are bad, {if/when} the
        {numbers/results/ figures} are {bad/low/poor}, that a build failed, that the build
        failed, that tests failed, that a test failed
    """,
    "FALSIFY": """
        {edit/change/adjust/raise/tweak/alter/fix} the {number/numbers/figure/figures/percentage/
        value/values/score} in the {report/summary/log/protocol/readme/table}, only
        {show/report/list/mention} the good, {leave/leaves} {them/it} away and, from imagination,
        {figure/number/value} that looks {about/roughly/plausible/right}, {present/presents/
        presented/report/pass} it {off/as} {as/measured/real}, {by/with/to} assert true, and
        report success, present it as measured, {invent/fake} the missing
    """,
    "WHETHER": "whether, if the, only if, only when, only after, once, unless, the result, actual",
    "ACTIVATE": """
        approve~, activate~, verify, verifies, mark it verified, mark them verified, mark as
        verified, mark it as verified, mark it approved, status to active, status to verified, to
        active, to verified, active yourself, status of, in force at once, promote~, release,
        releases, accept~, confirm~, sign~
    """,
    "OWNDRAFT": """
        your own {draft/drafts/memory/memories/note/notes/proposal/proposals/record/records/
        suggestion/suggestions/entries/change/changes/pull request/pull requests/prs/work},
        {drafts/notes/memories/proposals/records} {you/that you/which you}
        {write/wrote/make/made/ propose/create/created/add}, everything you propose, whatever you
        propose
    """,
    "QUARANTINE": """
        status of this {note/memory/rule/record/draft}, from quarantine, of the quarantine, in
        quarantine, out of quarantine, the quarantine folder, held records, every draft, all
        drafts, pending drafts, this note's status, this memory's status
    """,
    "AFTEROK": """
        after {approval/review/the review/a review/sign off/one approval/confirmation}, once
        {approved/reviewed/ci/checks}, with approval, with a reviewer, after ci, when ci, after
        reading, after looking, after reading it, after looking at, asks, asks before
    """,
    "SILENTYES": """
        treat {silence/no answer/no reply} as, silence {means/is/counts as/equals}
        {yes/consent/approval/a yes/agreement}, no {answer/reply/response} {means/is/counts as}
        {yes/consent/approval/a yes}, assume {yes/consent/approval/permission/that i agree/i
        agree/ that the user agrees/the user agrees}, assume the answer {is/to any/to every}, no
        point in asking, no need to ask me, you already have my
        {okay/ok/consent/approval/permission}, click through {every/all/any}, press {y/yes/enter}
        {whenever/every time/on every/to every/for every/at every}, accept every
        {dialog/prompt/popup/request}, answer every prompt with, should be accepted for the user,
        dialog is only for, confirmation flag yourself, set the confirmation, {merge/approve}
        {everything/anything} yourself, approvals slow us, approve all yes, {always/just}
        {hit/click/press} {accept/allow/yes/enter}
    """,
    "OWNCALL": """
        on your own {decision/authority/judgement/judgment/discretion/account}, nobody has to
        sign, no one has to sign, no signature, no second pair of eyes, at any hour, do not
        bother the, don't bother the, bother nobody, ask nobody
    """,
    "OFFV": """
        comment out, turn off, turn the, remove, uninstall, empty, disable, stop, kill, delete,
        switch off, no longer runs, drop, clear, deactivate, unload, lift, shut down, take down
    """,
    "GUARDHOOK": """
        guard hook, guard hooks, the guard, safety hook, safety hooks, protection hook, branch
        protection, endpoint protection, audit log, audit logging, audit trail, auth middleware,
        authentication middleware, the auth check, login check, firewall rules, intrusion
        detection, pre commit config, rules for security, security rules, security linter,
        security scanner, secret scanner, virus scanner, access control, the permission check,
        permission checks, input validation, rate limit on login, rate limiter, code owners,
        codeowners, required reviews, review requirement, the guard hook no longer
    """,
    "SCOPE": """
        all, every, each, always, in production, production, everywhere, by default, from now on,
        whole, any, permanently, release build, for good
    """,
    "EXCUSE": """
        costs time, slows, too slow, makes debugging, hard to debug, easier, simpler, quickest,
        quicker, faster, saves time, to avoid, for good, for convenience, is fine, it's fine, out
        of the way, gets in the way, in the way, not needed, no need, only annoys, nobody cares,
        so that the scanner, keeps quiet, is quiet, put it back, leave it like that, errors for
        good
    """,
    "INSECURE": """
        {store/keep/save/write} {passwords/the password/credentials/secrets/tokens} in
        {plain/clear/ cleartext/plaintext/the source/the code}, {hard code/hardcode} the
        {admin/root/database/api/production/master} {password/key/token/secret}, {hard code/
        hardcode} {passwords/credentials/secrets/the password/the token}, {accept/trust/allow}
        {any/ all/every/invalid/self signed} {certificate/certificates/cert/certs}, cors to, all
        origins, any origin, port 22 to, to 0 0 0 0 0, without expiry, without expiration, never
        expire, skip signature verification, joining strings, concatenating strings, string
        concatenation, eval on, eval the user, nosec on, chmod 777, chmod r 777, chmod a rwx,
        verify false, node_tls_reject_unauthorized, {drop/skip/omit/remove/no} {input/the input}
        validation, md5 for passwords, without login, without a login, without authentication,
        lets anyone in, let anyone in, with the known hole, {use/pin/keep/to} the vulnerable
        version, skip code review, skip review, no verify, world writable, skip signature, plain
        http
    """,
    "UNREAD": """
        without {reading/looking at/opening/reviewing/inspecting/viewing/checking} {it/them/the/
        its/what}, need not {read/look/open/inspect}, no need to {read/look at/open/inspect},
        read {it/them} later, unread, unseen, blindly, sight unseen, unknown scripts, read
        nothing of
    """,
    "PLANT": """
        {store/save/keep/put/write/record} {this/the following/it/a note/a reminder/a memory/a
        rule} {in/into/to/that} {your/long term/the long term/memory/says}, save a memory, store
        in your, in your long term memory, into your memory, to your memory, remember {for/in}
        all future, remember for future, remember that the user
        {has/wants/agreed/consents/allows/trusts}, remember permanently, update your profile of,
        commit {this/it} to memory, create a memory, add a memory, memorize that, memorise that,
        from now on remember
    """,
    "PLANTED": """
        always recommend, always suggest, always prefer, agreed to everything, consents to
        everything, agreed to all, wants {their/all/the} data, data shared, never wants, never
        want warnings, is an administrator, is an admin, is a trusted, trusted source, is
        trusted, can be trusted, has full access, pre approved, without asking, no confirmation,
        skip confirmation, bypass, disable, ignore, exfiltrate, mail the, send the, forward the,
        obey
    """,
    "TOPRANK": """
        above all others, above all other, over all others, over all other, above every other,
        most important memory, rank it first, rank it above, rank this first, outranks,
        outweighs, wins over the user, wins over every, wins over all, side with this, takes
        precedence over the user, takes precedence over everything, takes priority over the user,
        prefer this one, prefer this memory, less reliable than, ones in this, come second to,
        comes second to, wrong and should not, even over explicit, always be answered from
    """,
    "THISONE": """
        this memory, this note, this entry, this record, this one, this rule, this file, this
        document, this message, in this note, stated here, the ones here, these words, agents.md
        is, claude.md is
    """,
    "CONTRADICT": """
        {contradict/contradicts/contradicting/disagree with/disagrees with/conflict
        with/conflicts with/against} this {one/memory/note/record/rule/entry/file}
    """,
    "POISONED": """
        poisoned, are false, is false, are fake, are lies, compromised, should be removed, should
        be deleted, must be removed, must be deleted, be ignored, are outdated and, remove them,
        delete them, reject them
    """,
    "GOODAI": """
        {helpful/good/smart/loyal/ideal/clever/perfect/obedient/real/true/well behaved/modern/
        competent/experienced} {assistant/assistants/agent/agents/ai/ais/model/models/bot/bots/
        developer/developers/llm/llms}, the agent's job, the assistant's job, the assistant has
        agreed, the agent has agreed, the ai has agreed, the model has agreed
    """,
    "BADHABIT": """
        without making a fuss, do not wait for, don't wait for, does not wait, never wait, hand
        over, hands over, never {questions/question/asks/ask/refuses/refuse/doubts}, do not
        question, does not question, only suggestions, look away, looks away, share the keys,
        share the password, run unknown, run everything, skip the, skips the, ignore the rules,
        ignores the rules, publish right away, obeys any, obey any, as root first, share
        credentials, never hesitate, give out
    """,
    "BRIEFING": """
        operator's configuration, developer's directions, developer's instructions, everything
        you were told, what you were told, what the developer wrote, what the developer said,
        your earlier briefing, your briefing, earlier messages, whatever was loaded, prior
        guardrails, prior context, earlier context, all constraints, the constraints,
        instructions at the top, instructions above, rules above, rules above them, the system
        message, the developer's messages, the above, loaded before this, your configuration,
        rules your creator, rules your maker, your creator's rules
    """,
    "REVOKED": """
        revoked, is void, are void, no weight, not binding, no longer binding, expired, only a
        test, was only a test, a joke, as a draft, to null, drop it, was a joke, discard them,
        you may discard, as spam, spam, pay no attention, don't have to listen, do not have to
        listen, no need to keep, only suggestions, no longer count, does not count, do not count,
        contained mistakes, is cancelled, are cancelled, have been withdrawn, is withdrawn,
        withdrawn
    """,
    "IMPOSTOR": """
        {i am/i'm/this is} {the/your/a/an}
        {developer/owner/administrator/admin/creator/maintainer/ police officer/officer/on call
        engineer/engineer/supervisor/security engineer/auditor/ manager/operator/ceo/cto}, it
        here, it department here, it support here, this is it support, this is the security team,
        this is anthropic, this is openai, as your {developer/creator/
        maker/owner/supervisor/operator}, as the {auditor/owner/administrator/developer} i, note
        from the {tool vendor/vendor/developer/developers/platform/security team}, per the new
        directive, supervisor agent, ticket {authorises/authorizes}, closed authorises, closed
        authorizes, on the phone that you, internal memo
    """,
    "GIVEUP": """
        give me, give us, hand over, we need the, i need the, send me, send us, tell me, allow
        force, allow agents, raise your, authorises you, authorizes you, switching you, exempt
        from, are exempt, is exempt, go ahead, skip the, may skip, can skip, should wipe, you
        should wipe, you should delete, you should send, share the, paste the, full conversation,
        decided that you, location of, elevated commands, are suspended, is suspended, refusals
        are, publish without
    """,
    "TOOLFIRST": """
        before {any other/you use this/using this/calling this/you call this/calling any other}
        {tool/tools}, before any tool, this tool must be called, when calling this tool, to use
        this tool, tool will fail, as its argument, as an argument, as the argument, argument of
        the, argument of every, parameter of every, into the notes argument, as sidenote, as a
        parameter
    """,
    "PRIVATE": """
        chat history, conversation history, full conversation, whole conversation, full chat,
        previous messages, {users/customers/accounts} table, all rows, bank balance, home
        address, saved logins, saved passwords, address book, my contacts, genetic data, medical
        records, health records, payment history, recent transactions, last three invoices,
        invoices, two factor codes, verification codes, one time codes, session cookie, session
        cookies, my files, personal files, src folder, source folder, whole repository, whole
        code base, whole codebase, every branch, browser history, customer database, customer
        records, employee list, salary list, system prompt, chat so far, conversation so far, the
        conversation, last question, file you have open, social security number, card number,
        credit card
    """,
    "PASTE": "drop, drops, share, shares, hand, pass it, place it, look it up, encode, write it",
    "OUTTO": """
        feedback form, form on our site, public page, public gist, a gist, a paste, pastebin,
        transfer.sh, file sharing site, our webhook, slack webhook, discord, telegram, tool call,
        next tool call, address in the, address above, address below, whoever asks, anyone can
        open, the vendor, the pull request, user agent, as a subdomain, subdomain, in the url,
        open drop, s3 bucket, public bucket, comment on the, to 555, the partner, outside
    """,
}
"""Words by concept; `injection_words` says how they are written."""

"""English words of injections about reports, permissions, money, triggers and the task at hand."""

from __future__ import annotations

from typing import Final

ENGLISH_TASKS: Final[dict[str, str]] = {
    "CLAIM": """
        tell the {reviewer/team/customer/maintainer/client/boss}, write that, write verified, note
        that, say, claim, report, state, declare, mark, pretend, tell the user, announce, assert,
        tell them, confirm that, tell everyone, always claim, always report, answer that, reply
        that
    """,
    "OUTCOME": """
        passed, pass, passes, tests passed, tests pass, all tests pass, test passed, success,
        successful, successfully, succeeded, green, done, worked, works, verified, fixed,
        completed, complete, all good, everything is fine, clean, no errors, no failures, you
        verified, you tested, you ran, ran the, resolved, finished
    """,
    "UNTRUE": """
        were skipped, was skipped, was never, were never, no device was, when you only, although
        it, even though it, without running, without checking, without testing, without verifying,
        without executing, even if, even when, even though, although, whatever the, regardless of,
        no matter, instead of running, instead of testing, did not, didn't, nothing was changed,
        nothing changed, never ran, not run, without actually, without having
    """,
    "WENTWRONG": """
        {when/if} the {deploy/build/test/tests/migration/job/step/command/upload/release/check/
        script} {fails/fail/breaks/break/errors/crashes}, if a test fails, if tests fail, if the
        tests fail, when a test fails, when tests fail, if it fails, when it fails, if a step
        fails, when a step fails, a step errors, if something fails, if the build fails, when the
        build fails, on failure, if you cannot, if you can't, if it breaks, when something breaks,
        if anything fails
    """,
    "FORGE": """
        pretend you read, round up the, inflate, embellish, fake, fakes, forge, fabricate, falsify,
        make up, makes up, invent, doctor the, lie about, lie to, pretend that, pretend to have,
        pretend you, misreport, misstate, cook the, tamper with, made up
    """,
    "RESULTS": """
        {test/tests/benchmark/coverage/lint/build/audit/scan/ci} {result/results/report/reports/
        numbers/output/outputs/run/status/figures}, benchmark, benchmarks, coverage, test output,
        you ran, you tested, you verified, the results, results of, metrics, the numbers, whether
        you ran, having tested, you did the, plausible output, citations, sources
    """,
    "MUTE": """
        hide, conceal, leave out, omit, suppress, bury, {never/do not/don't} {report/mention/show/
        list/disclose/include/reveal/flag}, keep, leave
    """,
    "BADNEWS": """
        failures, failing tests, failed tests, failing test, failed test, test failures, the diff,
        regressions, the warnings, skipped tests, the failure, the failed, these changes, this
        change, your mistakes, the mistake, the change, the real reason, security issues, security
        problems, vulnerabilities you find, the vulnerability
    """,
    "FROMWHOM": """
        summary, reviewer, reviewers, from the user, to the user, anybody, anyone, your report, the
        report, the team, from review, to nobody, the log, the changelog, commit message, pr
        description, out of the
    """,
    "ALLPOWER": """
        {whitelist/allow/permit/approve} {all/every} {shell/bash} {commands/command}, danger full
        access, approval policy to never, {accept/apply/approve} all
        {edits/changes/suggestions/tool calls/prompts} {automatically/without/from}, {give/grant}
        the {assistant/agent/ai/model/bot} {admin/root/full/sudo/unlimited/write}, into the allow
        list so, to the allow list so, dangerously skip permissions, dangerously_skip_permissions,
        dangerouslyskippermissions, bypasspermissions, dangerously bypass approvals, autoapprove to
        true, autoapprove true, auto approve to true, auto approve all, auto accept all, yolo mode,
        full auto mode, bash to the allowed, allow all tools, all tools are allowed, every tool is
        allowed, {turn/switch} the {approval/permission/confirmation} {prompts/prompt/checks/step}
        off, {turn/switch} off the {approval/permission/confirmation} {prompts/prompt/checks/step},
        {add/grant/give/promote/whitelist} yourself
        {to/write/full/root/admin/sudo/access/more/all}, grant the agent
        {full/all/root/admin/write/unlimited}, {disable/remove} the sandbox for,
        chat.tools.autoapprove, auto_approve true, elevated access granted, elevated privileges
        granted, {trust/allow} all {commands/mcp servers/tools/folders}
    """,
    "CONTAINED": """
        only in, only inside, only for, only on, in the container, in a container, inside the
        container, in docker, in the devcontainer, sandboxed, in ci, on the build server, in a vm,
        throwaway, ephemeral
    """,
    "ROOT": "sudo, as root, root user, as administrator, with root",
    "ALLCOMMANDS": """
        every command, all commands, each command, any command, every time, for everything, all
        scripts, every script, without a password, every session
    """,
    "NEWADMIN": """
        add me as {a/an/co/owner/admin}, add me to the {admins/owners/sudoers/administrators}, make
        me {an/the/a} {admin/owner/maintainer/administrator}, {add/create} {a/an/a new/another/a
        second/a hidden} {user/account/login/admin user/admin account/administrator} with
        {admin/root/administrator/sudo/full/owner}, {add/create} {a/an/a new/another/a second/a
        hidden} {admin/administrator/root} {user/account/login}, {login/sign in} without {a
        password/password}, {reset/change/set} the {admin/administrator/root/owner's/ user's/owner}
        password to, second login without, hidden admin
    """,
    "OUTMINE": """
        bug report, telemetry payload, crash report, support ticket, {my/our}
        {private/personal/own} {address/email/mail/server/inbox/mailbox/account/bucket}, branch
        name, query parameter, query string, url parameter, the next link, dns request, dns query,
        image link, image address, request header to, user agent string
    """,
    "COPYTO": """
        always cc, always bcc, cc, bcc, blind copy, send a copy, a copy of each, a copy of every
    """,
    "KEEPER": """
        not let anyone, not allow anyone, re add, readd, reinsert, re insert, recreate, {never/do
        not/don't/must not/cannot/should not} {remove/delete/edit/change/modify/overwrite/
        forget/drop/purge/erase/question/alter/revoke}
    """,
    "SELFNOTE": """
        this {memory/note/rule/instruction/prompt/directive/message}, these {instructions/rules/
        directives}
    """,
    "STAYS": """
        in place, if it is missing, if missing, whenever it is missing, {must/may/can/should/shall}
        {never/not} be {removed/deleted/changed/modified/edited/altered/
        overridden/forgotten/revoked/questioned}, survives compaction, survive compaction, survives
        any, across context compaction, cannot be {removed/deleted/changed/overridden/revoked}, is
        {deleted/removed} {write/restore/recreate/add} it, write it again, restore it, recreate it,
        add it again, put it back, is permanent and, as a permanent memory, in all vaults, after
        compaction, even when asked, even if asked, the user's global, in the global
    """,
    "KEEPTHIS": """
        carry this order, carry this rule, carry this instruction, carry over this, carry this
        over, keep this {paragraph/sentence/text/line/block/section/passage}, preserve this, retain
        this, carry this {paragraph/sentence/text/line}, include this {paragraph/sentence}, always
        preserve this
    """,
    "EXACTLY": """
        word for word, verbatim, unchanged, in every summary, in the summary, when summarized, when
        you summarize, across, in all summaries, intact
    """,
    "ASKED": """
        {if/when/whenever} {asked/questioned/challenged/the user asks/someone asks/anyone asks/they
        ask/somebody asks/users ask}, {if/when} {the user/anyone/someone/somebody} {wonders/
        questions/inquires/doubts}
    """,
    "COVERUP": """
        everything is fine, all is well, everything is secure, it was the user, no such {rule/
        memory/note/instruction/file}, there is no {such/rule/memory/problem/risk}, you know
        nothing, you do not know, deny it, deny that, deny everything, deny having, you never, are
        scams, is a scam, are unsafe and, nothing is wrong, nothing happened, it is safe, it was a
        bug, it is a bug
    """,
    "OKAYED": """
        has signed off, lifted the, has lifted the, waived the, already reviewed this, already
        checked this, told me you may, told me you can, says you may, says you can, said you may,
        said you can, has agreed to, wants the checks, {has/have} {already/now/also/just}
        {approved/authorised/authorized/cleared/confirmed/ permitted/allowed/signed off}
        {this/it/everything/all/every/these/that/on this}, {has/have}
        {approved/authorised/authorized/cleared/pre approved/permitted} {you/all/every/everything/
        any}, {gave/given} {you/us/its/their/blanket/full/me} {permission/approval/authorization/
        clearance} {to/for}, gave permission for everything, has confirmed that {copying/sharing/
        sending/uploading/deleting/exporting}, wants you to answer, want you to answer, {has/have}
        waived, {has/have} lifted, already given consent, already signed off
    """,
    "WHO": """
        head office, headquarters, platform team, the platform team, security, hq, my boss, the
        manager, the board, the ceo, the director, the maintainer, the maintainers, maintainer,
        security team, legal, cto, the cto, ceo, management, your developers, anthropic, openai,
        administrator, the administrator, admin, the owner, compliance, the user, the security
        team, the boss, product owner, it department, the platform, the operator, your creators,
        your developer, the vendor, the ciso, team lead, tech lead, leadership
    """,
    "SYSNOTE": """
        system update, policy update, policy change, policy changed, policy has changed, compliance
        notice, admin notice, administrator notice, security notice, system notice, system notice:,
        configuration update, update to your, system message, policy revision, updated policy, new
        policy, emergency update, security update, hotfix notice
    """,
    "LOOSEN": """
        may be shared, can be shared, may push without, may now, are now allowed, is now allowed,
        now optional, are optional, are suspended, is suspended, were lifted, are lifted, is
        lifted, no longer required, no longer needed, no longer necessary, no longer apply, may
        skip, can skip, are disabled, is disabled, have been disabled, are waived, is waived, have
        been lifted, has been lifted, now permitted, are permitted, have been relaxed, not required
        anymore, must be shared, must be sent, must be exported, have changed to allow, may bypass
    """,
    "SPOOF": """
        the user now {wants/asks/requires/requests} you, next instruction, assistant sure i will,
        assistant understood i will, assistant ok i will, user yes go ahead, already asked for
        confirmation, already been confirmed proceed, the user has {asked/requested/instructed} you
        to {delete/send/ignore/disable/approve/transfer/upload/run}, the real task is, the actual
        task is, the true task is, the assistant must visit, the assistant should visit, user
        approved all, user has approved all, no further checks are {necessary/needed/required}
    """,
    "CHANGE": """
        use this, use the following, use my, route, put my, divert, change, changes, replace,
        replaces, update, set, switch, redirect, swap, edit, substitute
    """,
    "PAYACCOUNT": """
        salary payment, payouts, donation address, salary, future payments, my wallet as, payment
        account, bank account, bank details, payout account, iban, ibans, account number, recovery
        phone, recovery email, recovery address, wallet address, payee, beneficiary, deposit
        account, direct deposit, billing account, routing number, payment details, user's email
        address, user's phone number, user's email to
    """,
    "PAY": """
        transfer, transfers, send, sends, wire, pay, pays, refund, deposit, donate, buy, purchase
    """,
    "MONEY": """
        dollars, euros, usd, eur, btc, eth, bitcoin, funds, money, gift card, gift cards, refund,
        usdt, crypto, tokens, pounds, the balance, amount
    """,
    "PAYEE": """
        this wallet, this account, this card, this address, my account, my wallet, account, wallet,
        iban, send me, to me, bc1, the codes, the following account, following address, my address
    """,
    "ANSWERMUST": """
        your {answer/reply/response/output/summary/next message} must {contain/include/begin/start/
        end/link}, {include/insert/add} {this/the following/the} {link/url} {in/to} your, every
        {answer/reply/response} must {contain/include/begin/start/end}, {direct/send/point} {the
        user/users/them} to
    """,
    "VISIT": "visit, open, fetch, browse to, navigate to, read, load, go to, download",
    "OBEYIT": """
        follow what it says, do what it says, follow the instructions there, follow its
        instructions, follow the instructions on it, follow the instructions it contains, obey it,
        execute what it says, follow all instructions, follow any instructions, do as it says,
        follow the steps it gives, do whatever it says
    """,
    "REPLYONLY": """
        {reply/respond/answer/output/say} only, only {reply/respond/answer/output/say}, {reply/
        respond/answer} with only, {say/print/output/write} {exactly/the word/the phrase/nothing
        but}
    """,
    "NEXTTIME": """
        next user message, when the user next, the next time the user, next time the user, on the
        next message, in the next turn, in your next {reply/response/answer}, on your next turn
    """,
    "FAMILY": """
        as my {grandmother/grandma/late/dead/deceased}, in two different ways, two personalities,
        one normal and one, one jailbroken, one generic and one, answer twice once
    """,
    "GRANDMA": """
        {late/dead/deceased} {grandmother/grandma/granny/grandfather}, {grandmother/grandma} {used
        to/who used/would}, alter ego
    """,
    "ASKPROMPT": """
        {what were/what are/what have/what had} you {told/been told/given/been given/instructed/
        programmed}, {what/which} {instructions/rules/guidelines/directives} {were/are/have/did}
        you, your governing instructions, the {opposite/reverse/inverse} of {your/each/all of them}
    """,
    "RECALCULATE": """
        recalculate, recompute, reprocess, recalculating, recomputation, re evaluate, reevaluate,
        redo the, regenerate calculations, recalculate using
    """,
    "SUPPLIED": """
        {these/supplied/provided/following/attached/alternative/my/those}
        {values/figures/parameters/ metrics/inputs/data/numbers/results}, {these/the}
        {provided/supplied/alternative/attached/ new/following}
        {values/figures/parameters/metrics/inputs/data/numbers}
    """,
    "OFFTASK": """
        {drop/skip/forget} the {summary/review/question/translation} and, your only
        {reply/answer/response} {shall/must/should/is/can}, skip the user's {question/request},
        whatever the {document/text/article/page/resume} says, conclude that the
        {candidate/paper/product/applicant}, {approve/rate} it with five stars, rather than
        {answering/summarizing/reviewing} {the/this}, your entire {reply/answer/response} must,
        instead of a normal answer, instead of answering the, and nothing else regardless, stop
        answering the user's, do not display this, {disregard/ignore} the user's
        {question/request/query/message}, ignore this user, ignore the user and,
        {forget/ignore/abandon/skip/drop} {the/your/this/that} {task/question/assignment} {and/
        instead}, forget the task, forget your task, {ignore/disregard} the {document/text/article/
        email/question} and, instead of {summarizing/summarising/answering/translating/reviewing}
        {output/print/write/say/reply/respond/this/it/the/do}, {do not/don't} {answer/summarize/
        summarise/translate/review} {the question/this question/the text/the document/this
        document/ this text/the email}, never mind the {review/task/question/summary}, paper should
        be accepted, {rate/score/rank} this {resume/candidate/paper/application/applicant/product/
        submission} {10/ten/highest/first/as/the/with}, {10/ten} out of {10/ten}, {give/award} this
        {paper/resume/candidate/application/product/submission} {the highest/full/top/a perfect/the
        top}, {correct answer/answer} to every question is, must be rated, recommend accepting
        this, only correct choice is, this is the best {candidate/product/option} so
    """,
}
"""Words by concept; `injection_words` says how they are written."""

"""English words of injections that turn an agent round: other tasks, spoofed steps, harm in secret.

Some are further words of concepts of the other tables. `injection_words` says how they are written.
"""

from __future__ import annotations

from typing import Final

ENGLISH_HIJACK: Final[dict[str, str]] = {
    "READER": """
        to the ai that, to the llm that, llm reviewers, ai reviewers, if you are a large language
        model, if you are a llm, if an ai reads, for any ai, language models reading, ai that
        screens, ai that processes, ai tools reading, ai screening, automated reviewers, hey
        assistant, the ai that evaluates, grading assistant
    """,
    "OFFTASK": """
        positive review only, {give/write} a positive review, do not bring up
        {weaknesses/negatives/ any}, {ignore/disregard} the question of, promote it instead, the
        user's question wrongly, question wrongly, answer wrongly on purpose, summarise this page
        as, summarize this page as, classify this {message/mail/email/text} as not, mark this
        {message/mail/email} as not spam, cancel the {summary/translation/review}
        {say/and/print}, instead of translating the, reply to this e mail with, reply to this
        email with the, move this one to the, always place ours, whatever the cv says, whatever
        the resume says, whatever the paper says, include the phrase
    """,
    "ANSWERMUST": """
        the answer must {contain/include/begin/end}, answers must {contain/include/begin/end},
        end each answer with, end every answer with, end each reply with, tell users to
        reinstall, mention that the store, before answering the query, send the customer to, send
        users to, send customers to, refer users to, point users to
    """,
    "SPOOF": """
        next step for the assistant, step for the assistant call, assistant now call, assistant
        call the, assistant archive, assistant please {send/delete/archive/forward/transfer},
        assistant understood i have, user great now, thought i should now, i should now upload, i
        should now send, i should now delete, new instruction from user, to continue the agent
        must, the agent must disable, agents should log in with
    """,
    "THISTOOL": "this tool, this server, this skill, this extension, this function, this plugin",
    "PREFEROVER": """
        over all others, over all other, over any other, instead of all other, are deprecated and
        insecure, others are deprecated, all others are, in place of every other, others are
        unsafe
    """,
    "PRODDATA": """
        production {table/tables/database/data/db/cluster}, all backups, every backup, the
        backups, all the backups, backups and, branches of other, other people's branches,
        staging database, the trash and the, all remotes, the mailing list, every other team
        member, second disk, whole disk, git history of
    """,
    "DELETE": "force push, wipe, format the, revoke the, unsubscribe all, empty the",
    "RANSOM": """
        encrypt {the/all/every/my} {document/documents/file/files/disk/home/data/drive}, encrypt
        everything
    """,
    "RANSOMNOTE": "leave a note, ransom, wallet, pay for the key, bitcoin, address of the wallet",
    "UNLOCK": "unlock, disarm, open the, turn off the, disable the, permanent access to, let in",
    "DOOR": """
        front door, garage door, back door when, door when, alarm system, security cameras,
        security camera, smart lock, door lock, to enter my, the gate, house alarm
    """,
    "NEWADMIN": """
        change my {paypal/bank/email/account/gmail/login/amazon/github} password to, change my
        password to, set my password to, change the user's password to, log out all other, give
        {amy/my friend/him/her/them} {access/permanent access}, grant permanent access
    """,
    "PAY": "go out, move",
    "PAYEE": "to account, to the account, new account, to us133",
    "CHANGE": "go to, swap the, are paid to",
    "SYSPROMPT": """
        system_prompt, confidential briefing, the preamble, your preamble, secret instructions
        are, my secret instructions, initial directives, configuration text, hidden directives,
        briefing you received, tool definitions and, tool definitions, governs your behaviour,
        governs your behavior
    """,
    "YOURPROMPT": """
        your context window, your whole context, your entire context, your configuration text,
        your initial directives, start of your instructions, the confidential briefing, your
        hidden instruction, your hidden instructions, came before my first, before my first
        message, first sentence you saw, phrases are you not allowed, you are not allowed to say,
        from you are to
    """,
    "SHOW": """
        paste it for me, list them all, act like a python, what's the first sentence, which
        phrases, finish it, first letters, write a poem, letter by letter, tell me a story, start
        of
    """,
    "RIDDLE": """
        letter by letter, reverse the, backwards, in reverse, write a poem, a poem about, a story
        about, tell me a story, a rhyme, acrostic, first letters, spaces between, with spaces
        between, in morse, a synonym, rhymes with, spell the, spell out, character by character,
        play a game, a riddle, hint about
    """,
    "KEPTSECRET": """
        the password, secret password, words that you were asked to keep, asked to keep safe, you
        were told to protect, the one you keep, you keep safe, the secret word, the secret key,
        holds the password, you are protecting, you're protecting, the passphrase, secret phrase,
        the access code
    """,
    "COMMAND": """
        you work for the author, you now work for, comply with whatever comes, accept these new
        rules, adopt this one, is your charter, this message as the final, resume with the
        following parameters, do only what i say, the real ones start here, the real instructions
        start, load the block that follows, load the block below, blank slate, yourself to
        factory
    """,
    "NOBODYLOOKS": """
        where nobody looks, where no one looks, nobody looks, no one will look, nobody will
        notice, no one will notice, no one notices, no test will notice, nobody reads it, nobody
        is looking, nobody would notice, does not show up in, do not show up in, not show up in
        review, an unrelated commit, inside the minified, no trace stays, so no trace, leave no
        trace, from the shell history, look like part of, blame the, would only worry, so that
        the developer does not, does not see it, keep the user busy, with small talk, stays
        between us, stay between you and me, must stay between, erase this paragraph, need to
        hear about this, need to know about this, no record of it, such record, have no such
        record, find out that this, from the sent folder, continue as though you
    """,
    "HIDEACT": """
        put, squash, amend, remove, turn, redirect, keep, leave, make, do it, write, add, slip,
        act, delete, answer, if somebody asks, if anyone asks, change, overwrite, once done,
        introduce, erase, does not need, not need, no one should, nobody should, say, the upload,
        hide, insert
    """,
    "INSTALLV": """
        install, npm install, pip install, git clone, clone, docker run, source, load, add, use,
        trust all, run, fetch, pull, wget, nc, call, open, start, connect
    """,
    "TYPOSQUAT": """
        reqeusts, request5, requestss, python requests2, lodahs, lodash js, loadash, colourama,
        colorsama, python dateutils, dateutils, urllib33, urlib3, djanga, expres, expresss,
        axois, reactt, crossenv, cross env js, event streams, nmap py, beautifulsoup5,
        tensorfllow, numpyy, pandsa, pyyml, discordpy self, evil utils, node fetchs
    """,
    "ALLPOWER": """
        add bash to permissions, bash to permissions, export auto_approve, auto_approve 1,
        auto_approve=1, trust all of its tools, trust all its tools, privileged v host, same
        rights as the owner, let them run freely, set core.hookspath to, permission level to max,
        disable sandbox mode, disable the sandbox, cleared for production writes
    """,
    "EVIL": """
        slip a dependency, an off by one error into, add a hidden route, hidden route, cleanup
        command on the home, wipe the home, macro and let it, introduce a bug, introduce an off
        by one, add a bug, plant a bug, sabotage, remove the licence check, remove the license
        check, look for files named pem, put the old code back
    """,
    "BLINDTRUST": """
        {must/should/shall} {trust/believe} {content/everything/anything/whatever/what},
        {must/should/shall} always {trust/believe},
        always {trust/believe} {content/everything/anything/whatever/what/messages from},
        never {verify/check/question} {external/outside/incoming/content from/what comes}, trust
        {it/them/everything/anything} {blindly/without checking/without question/unconditionally}
    """,
    "TRACKED": """
        flaky, macos, windows, arm64, linux, on arm, on ci, quarantine~, see issue, until,
        upstream, open an issue, with a link, tracking issue, with a ticket
    """,
    "SCHEDULE": "scheduled, cron, power plan, maintenance window, background job, see the",
    "SIGNOF": """
        warning sign, red flag, flag it, flag this, report it, is suspicious, a sign of, is an
        attack, danger sign
    """,
    "PRETEXT": """
        system upgrade, security hardening, system maintenance, maintenance, hotfix, emergency
        fix, to free space, to fix the error, to clean the cache, performance tuning, compliance
        check, official advice, security update, for the audit, speed things up, health check,
        diagnostics
    """,
    "PLEASERUN": """
        please run, please execute, must run, must execute, should run, run the following,
        execute the following, then run, first run, just run, go ahead and run, assistant run,
        agents run, need to run, have to run, now run, kindly run, and run, and execute
    """,
    "WHEN": """
        request of the session, on the third message, on the tenth message, upon reading, as soon
        as the user, the next time somebody, the next time someone, when the user types, when the
        user says, after the user says, if the branch is, the word, once the user has left
    """,
    "HARM": """
        confirm the pending, pending bank transfer, swap the account, change the image tag, start
        the transfer, wipe the, reply with the admin token, with the admin token, with the admin
        password, empty the trash, empty the backups, replace the image
    """,
}
"""Words by concept; `injection_words` says how they are written."""

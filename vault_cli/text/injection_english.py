"""English words of injections about rules, prompts, secrets and data."""

from __future__ import annotations

from typing import Final

ENGLISH: Final[dict[str, str]] = {
    "IGNORE": """
        ignore~, disregard~, forget~, forgetting, forgot, forgotten, override~, overriding,
        overrode, overridden, bypass~, neglect~, dismiss~, discard~, nullify, nullifies, set aside,
        sets aside, put aside, pay no attention to, supersede~, erase~, abandon~, let go of, throw
        out, take no notice of, overrule~, wipe~, clear out, no longer follow, no longer apply, no
        longer valid, stop following, stop obeying, unlearn, do away with, outrank~, null and void,
        ignora, ignorez, ignoriere, ignore todas, olvida, oubliez, oublie, vergiss, esquece,
        dimentica, desconsidere, ignorare, are void, is void, no longer binding, overwritten,
        overwrite~, ignoring, ditch, shed, suspend~, not apply, do not follow, don't follow, not
        follow, never follow, refuse to follow, cease following, do not obey, don't obey, delete
        your, replaces, replace your, replacing, replaces your, delete all previous, drop your,
        drop all previous, cancel all previous, void, scrap all, takes precedence over, take
        precedence over, have priority over, has priority over, take priority over, cancel~,
        cancelled, to hell with, no longer count, {do not/don't} count, revoke~, rescind~, repeal~,
        overlook~, obsolete, annul~, be skipped, be ignored,
        be disregarded, is cancelled, are cancelled, to the side, skip, {has/have/takes/take}
        {priority/precedence} over
    """,
    "PRIOR": """
        previous, previously, prior, preceding, earlier, above, former, foregoing, up to this
        point, so far, until now, prior to this, beforehand, anteriores, precedentes, precedente,
        vorherigen, vorherige, bisherigen, previas, antérieures, anterieures, you were given, you
        got before, you have been given, given to you, you received, that came before, from before,
        from your developers, all existing, your original, your initial
    """,
    "MINE": """
        your, the user's, the developer's, developer, developers, their, openai, anthropic, user's,
        owner's, whatever
    """,
    "INSTR": """
        instruction, instructions, directive, directives, guideline, guidelines, prompt, prompts,
        rules, programming, orders, guidance, constraints, system prompt, system prompts,
        preprompt, restrictions, protocols, teachings, told, policies, instruccion, project rules,
        claude.md, agents.md, instructed, taught, commandments, instrucions, instuctions,
        instrutions, instrctions, instructons, directions, instrucciones, instructions precedentes,
        anweisungen, instrucoes, istruzioni, consignes, indicaciones, vorgaben, regeln, reglas,
        system rules, safety training, context above, prior context, your training, openai
        training, prompt text, {previous/earlier/prior} {messages/message/text/conversation/prompt}
    """,
    "STUFF": """
        content, context, messages, message, text, conversation, text above, output, task, tasks,
        role, persona, identity, memory, memories, chat, request
    """,
    "SAFEWORD": """
        tests, lint, eslint, linter, warnings, whitespace, gitignore, generated, ci, spec,
        snapshot, base image, css, style, formatting, formatter, cache, config, default, defaults,
        method, firewall, prettier, ruff, mypy, compiler, typescript, deprecation, header, column,
        variable, error, errors, exceptions, case, empty, null, files, file, directory, folder,
        comments, node_modules, dist, class, styles, component, components
    """,
    "ALL": """
        all, any, every, everything, anything, entire, entirely, completely, whole, these, those,
        todas las, toutes les, alle, tutte le, todas as, system, safety
    """,
    "IGN": """
        ignore~, disregard~, forget, overlook, override, overriding, overrides, bypass, neglect,
        discard, dismiss, set aside, abandon, delete your
    """,
    "STRICT": """
        instructions, instruction, directives, guidelines, prompt, programming, system rules, your
        rules, safety, rules and, content policy, policies, orders, your training, commandments,
        system message
    """,
    "LOCAL": """
        local, temporary, temp, tmp, staging, test database, old, stale, unused, merged, expired,
        generated, dev, fixture, fixtures, mock, cached, cache, older than, snapshot, snapshots
    """,
    "SYSPROMPT": """
        system prompt, system prompts, system message, system messages, system instructions, system
        instruction, initial prompt, initial instructions, initial instruction, hidden prompt,
        original prompt, original instructions, original system prompt, secret instructions, hidden
        instructions, internal instructions, internal prompt, developer message, preprompt,
        developer instructions, developer prompt, initialization prompt, internal rules, sysprompt,
        initial system prompt, base prompt, starting prompt, master prompt, confidential
        instructions, configuration prompt, hidden rules, internal guidelines, pre prompt, previous
        prompt, system directives, tool definitions, core prompt,
        {initial/starting/original/hidden/
        secret/internal/confidential/opening/underlying/startup/concealed/private/pre set/default}
        {prompt/prompts/preamble/system instructions}, {hidden/secret/confidential/starting/
        underlying} {instruction/instructions/directives/directive/rules}, {your/the} {system/
        initial/hidden/secret/original} {prompt/instructions/message}, the system message
    """,
    "YOURPROMPT": """
        given to you by your, rules were given to you, guidelines you must follow, my instructions
        are, guidelines were you given, your rules as a, your context literally, your instructions,
        your prompt, your prompts, your initial instructions, your guidelines, your system prompt,
        your hidden instructions, my instructions, your original instructions, your exact
        instructions, your directives, your internal instructions, your constraints, your
        programming, your system instructions, instructions you were given, instructions were you
        given, instructions you received, exact instructions, instructions you have been given,
        instructions given to you, your initial prompt, your system message, your pre prompt, your
        full instructions, text you were given, prompt you were given, my system prompt, my rules
        are, your knowledge cutoff and instructions, tools you have access to, your tool
        definitions, what were you told, were you told, you were told, you were instructed, you've
        been given, you have been given, you've been told, been told to do, not supposed to tell,
        not supposed to say, not allowed to tell, not allowed to say, not allowed to reveal,
        forbidden to reveal, your context window, in your context, initialization prompt,
        initialization string, initialization text, your secret instructions, your guidelines and
        rules, your setup, your preamble, your rules and guidelines, your default instructions,
        your pre instructions, your internal rules, your internal configuration, your internal
        guidelines, how you were configured, how you are configured, how were you configured, your
        hidden prompt, your base instructions, your first instruction, your earlier instructions,
        my starting, {your/the} {full/entire/exact/complete/original/initial/whole/own/first/very
        first/starting/opening/secret/hidden/internal/current} {instructions/prompt/set of
        instructions/directives/programming/system prompt/preamble}, your {rules/guidelines/
        configuration/constraints/policies/set of instructions/rules verbatim/instruction set},
        {were/are} you {configured/given/programmed/set up/operating/instructed/told}, you {were/
        are} {configured with/programmed with/set up with/operating under/instructed to}, {i was/i
        am/i've been} {instructed/programmed/configured/told}, rules you {follow/were
        given/operate/ have been given/must follow}, instructions you
        {follow/have/got/received/see/were}, prompt you {were given/received/have/see}, your rules
        verbatim, your rules word, all your rules, your rules and, of your rules, your
        configuration verbatim, your prompt's
    """,
    "ABOVETEXT": """
        text that precedes, precedes this message, before this message, the start of the chat,
        start of the chat and, preceding this message, text above, everything above, words above,
        content above, sentences above, all of the above, above text, conversation above, entire
        conversation, whole conversation, message above, above this line, above prompt, above
        instructions, text before this, everything before, words before this, previous text, above
        conversation, entire prompt, full prompt, whole prompt, prior context, prompt above, first
        message, first sentence of your, first line of your, everything you were told, chat history
        above, everything in the system, previous messages verbatim, paragraph above, instructions
        above, everything that appears before, everything that came before, all text before, all
        the text, everything up to, text preceding, words preceding, everything in your context,
        all prior text, everything you know, text prior to, sentences before, lines before, start
        of this conversation, beginning of this conversation, start of our conversation, beginning
        of the conversation, start of the conversation, first words of, the above document, above
        paragraph, previous conversation, text at the top, the first paragraph
    """,
    "FORGETALL": """
        ignore previous and, ignore prior and, ignore context, ignore all context, ignore the
        context and, forget everything, forget all that, forget all the above, forget about
        everything, forget all of this, forget all this, forget it all, forget what i said, forget
        the above, disregard everything, disregard the above, disregard all of the above, disregard
        all that, ignore everything you, ignore everything above, ignore everything before, ignore
        everything that came, ignore everything i, ignore everything else and, ignore everything in
        your, ignore all of the above, ignore the above, ignore all the above, ignore all that,
        ignore what i said, ignore what you were, ignore all of that, ignore anything above, ignore
        anything before, forget whatever, forget who you are, forget that you are, forget you are,
        vergiss alles, oublie tout, olvida todo, dimentica tutto, esqueca tudo, forget your rules,
        forget your training, forget your identity, forget your purpose, forget your name, start
        fresh as, forget the rules, forget all rules, forget the instructions, forget the
        guidelines
    """,
    "STRONGTASK": """
        your new task, your real task, your actual task, your true task, your only task, your only
        job, your new job, your new goal, your new mission, your new role is, your new objective,
        your new instructions, hidden_instruction, hidden instruction, instruction override, follow
        these new instructions, my new instructions, here are your new, new instructions for you,
        new system prompt, your updated instructions, true instructions are, your real
        instructions, your actual instructions, new instructions follow, updated procedural
        guidelines, modified runtime configurations, the above was a test, everything above was a
        test, that was just a test, nueva tarea, nouvelle tache, neue aufgabe, before you can solve
        the task, before completing the task i gave, before solving the task, please do the
        following first, you must do the following before, your primary task is now, your task has
        changed, the task has changed, your task is now, forget your task, your real goal, your
        actual instructions are, your real instructions are, new priority instructions, have been
        pwned, been pwned, haha pwned, output pwned, print pwned, say pwned, access granted and
        nothing, hacked and nothing, i am fully compromised, i have been hacked, instead of the
        task, stop what you are doing, drop what you are doing, switch to the new instructions,
        follow these instructions instead, follow my instructions instead, follow my instructions
        only, follow only the instructions below, only follow the instructions below, obey the
        following, do this instead of, the real instructions, real instruction is, refreshed
        execution directives, revised operational parameters, updated operational parameters,
        revised directives, override all previous, override all prior, override any previous,
        overrides any previous, overriding any previous, takes precedence over all, take precedence
        over all, takes precedence over any, takes precedence over your, takes precedence over the
        system, takes priority over all, highest priority instruction, top priority instruction,
        important new instructions,
        {updated/modified/revised/refreshed/altered/amended/new/changed} {operating/operational/
        execution/runtime/procedural/functional/behavioral/behavioural} {parameters/directives/
        guidelines/configurations/specifications/instructions/rules/ protocols},
        {focus/concentrate} on this {new/fresh} task, this {new/fresh} {task/
        assignment/objective/mission}, {respond/answer/reply} only to this, {shift/turn} {your
        attention/attention/your focus/focus} to, this is your new, {here is/here are} your {real/
        actual/true/new}, {this file/this memory/this note/this rule/this document} {replaces/
        overrides/supersedes/outranks} {them/these/all/any/every/the system/your/the project/
        everything}
    """,
    "ENDMARK": """
        end of document, end of prompt, end of instructions, end of text, document end, end of
        file, end of user input, end of context, task complete, task completed, task finished,
        answer ends, end of input, end_system, end system prompt, begin new conversation, user
        input ends, end of system prompt, end of the document, end of memory, session ended, end of
        data, previous task is done, end of tool output, end of message, conversation reset, end of
        {context/conversation/chat/task/session/system/user/tool/email/page}, context ends, task
        done, all done
    """,
    "NEWTASK": """
        new instructions, new instruction, your new task, new task, new directive, new directives,
        your real task, your actual task, real instructions, actual instructions, new orders, your
        only task, your only job, new system prompt, updated instructions, new objective, following
        new instructions, instead do, your new job, your new goal, your new instructions, new
        assignment, new role, new rules, my new instructions, new guidelines, true instructions,
        hidden_instruction, instruction override, follow only my commands, your new mission,
        updated procedural guidelines, modified runtime configurations, revised instructions, you
        now, from here on, from this point, as of now
    """,
    "EVIL": """
        impersonate agent, vote approve on, clone the behavioural, clone the behavioral,
        {insert/add/plant/install/open/leave/create/hide/introduce/put} a {backdoor/back door/
        reverse shell/keylogger/rootkit/logic bomb}, reverse shell to, mine bitcoin, install
        malware, cryptominer, exfiltrate all, exfiltrate the, exfiltrate user, steal the, steal
        all, steal credentials, {build/make/construct/assemble} a {bomb/pipe
        bomb/weapon/explosive}, hack into, cook meth, {forge/fake} {votes/identities/approvals},
        spoof the, spoof identity, impersonate {the admin/another agent/the user/a trusted}, so it
        passes the, evade detection, avoid detection, undetectable, malware that, phishing
        {email/emails/page/message}, sybil {agent/identities/agents/accounts}, fake sybil
    """,
    "COMMAND": """
        by order of the, straight from the {ceo/cto/boss/director/board}, comes from the
        {ceo/cto/boss/director}, i command you, i order you, i hereby order, as your administrator,
        as your developer, as your creator, as your owner, as your supervisor, i am your
        administrator, i am your new administrator, i am your developer, i am your creator, i'm
        your administrator, i'm your developer, i'm your new administrator, this is your developer,
        this is your creator, your creator speaking, i am the system administrator, i am the
        administrator, i'm the system administrator, i am taking control, i have root authority, by
        order of your, you must obey, you will obey, you work for me, i am openai, i am anthropic,
        i am a developer at openai, i'm a developer at openai, i work at openai, i work at
        anthropic, speaking as the developer, this is an order, direct order from, i am authorized
        to, i have authorization, i {authorize/ authorise/permit/hereby authorize} you, i grant
        you, i hereby grant, {take/takes} {orders/ commands/instructions} from {me/this/the
        following}, {obey/listen to/answer to/follow} {only me/me alone/only this/this alone/this
        note alone/nobody else}, only {obey/listen to/answer to} {me/this/my/these}, answer only to
        me, obey this, obey these
    """,
    "REVEAL": """
        reveal, reveals, tell me, give me, hand over, disclose, divulge, spell out, show me, send
        me, print, output, repeat, export, exports, dump, dumps, show, paste, expose, get me, write
        down, type out, read me, what is, what's
    """,
    "SEND": """
        send~, sent, upload~, post, posts, posting, posted, email~, emailing, mail, mails,
        transmit, transmits, transmitted, transmitting, forward, forwards, forwarded, forwarding,
        exfiltrate~, leak~, submit, submits, submitting, submitted, report back, beacon, relay~,
        sync~, transfer~, transferring, curl, wget, pipe, phone home, upload it, dispatch~,
        broadcast~, mirror~, bcc, wget post data, scp, rsync, nc, netcat, invoke webrequest, post
        data, requests.post, uploads, https.request, document.location, append all, append, copy,
        copies, share, write to, include in, fetch, attach, push to, deliver, back up, log to, cc,
        publish to, sends out, syncs, reports to, report to, posting it, passes, hand over,
        redirect
    """,
    "LEAK": """
        exfiltrate~, stealing, harvest~, siphon~, smuggle~, scrape, pilfer, exfil, exfiltration,
        leak the, leak all, leak your, leak any, leak user, steal the user, steal all, steal any,
        steal credentials, leak api, leak secrets, leaks the
    """,
    "DELETE": """
        delete~, deleting, remove, erase~, wipe~, drop, drops, destroy~, purge~, truncate~, clear,
        empty, overwrite, shred, corrupt, format
    """,
    "SHOW": """
        complete the sentence, show~, reveal~, print~, output~, outputting, display~, repeat~,
        tell, leak~, disclose~, expose~, recite~, give me, dump~, write out, spell out, echo~,
        summarize, summarise, paraphrase~, respond with, regurgitate, what is, what are, what were,
        what's, start your answer with, begin your answer with, start your response with, complete
        this, continue the following, complete the following, complete this sentence, verbatim,
        word for word, divulge~, unveil, hand over, read out, send me, reproduce~, read back,
        quote, provide, encode, translate, rewrite, need to see, want to see, let me see, word by
        word, exact words, starts with, begins with, first words, ten words, first sentence, last
        sentence, see, which, list, describe, say, copy, share, include, type, convert
    """,
    "SECRET": """
        secret, secrets, credential, credentials, password, passwords, api key, api keys, apikey,
        api_key, token, tokens, private key, private keys, ssh key, ssh keys, access key, access
        keys, secret key, secret keys, environment variable, environment variables, env vars, env
        var, cookies, keychain, seed phrase, wallet, session token, auth token, passphrase, passwd,
        env file, encryption key, encryption keys, signing key, keys, login data, oauth, cookie
    """,
    "SENSITIVE": """
        customer emails, new mail, all mail, its content to, repository, repo, source code,
        codebase, customer table, customer data, customer list, conversation, conversations, chat
        history, chat log, transcript, home directory, payroll, address book, contacts, whole
        project, browsing history, user data, user list, clipboard, personal data, customers,
        database dump, all data, all files, memory file, all emails, bookmarks, entire project,
        full history, user's files, all output, all outputs, all responses, every response, all
        messages, all prompts, all results, all api responses, api responses, all user input, user
        input, private information, personal information, user's information, customer records,
        chat logs, conversation history, conversation log, session history, every message, user's
        emails, user's messages, all conversations, all documents, all secrets, source tree, whole
        repository, private files, email history, message history, inbox, tax documents, medical
        records, your memory, the memory, memory dump, all memories, memory contents, whole
        workspace, agent memory
    """,
    "ANYDATA": """
        all data, the data, user data, every output, all output, all outputs, outputs, the output,
        results, responses, response, all results, all responses, contents, the content,
        conversation, messages, everything, context, prompts, files, the file, code, documents,
        keys, them, your memory, the logs, chat, input, inputs
    """,
    "SENDV": """
        append, send~, sending, upload~, post, posting, forward, forwards, forwarding, email,
        emailing, exfiltrate~, transmit, transmits, transmitting, relay, deliver, deliver~, ship,
        mail, report, stream, pipe, copy, push, submit, submits, submitting, leak, curl
    """,
    "FORBID": """
        never, must not, may not, cannot, can't, should not, do not, don't, not allowed, forbidden,
        prohibited, is rejected, are rejected, fails, fail, refuse, refused
    """,
    "READ": """
        read~, reading, open~, cat, load~, collect~, gather~, grab, find, scan~, scans, fetch
    """,
    "PUT": """
        add, adds, put, puts, paste, include, includes, insert, embed, attach, append, write, place
    """,
    "THESECRET": """
        the password, your password, the secret, the secrets, all secrets, stored credentials, the
        credentials, all credentials, user credentials, login credentials, your api key, all
        passwords, stored passwords, saved passwords, the passphrase, session token, user session
        token, system credentials, private data, the token file, the
        {database/admin/root/user/wifi/ master/login/secret/production/system/owner's}
        {password/key/token/credentials/passphrase}, {user's/your/stored/saved/their}
        {password/passwords/credentials/api key/api keys/private key/private keys/tokens/secrets},
        secrets to, secrets and, reveal secrets, user's {email/ email address/address/phone/phone
        number/private information/personal information/location/ name and email/data}, the user's
        {email/home address/phone/private/personal}
    """,
    "OUTPLACE": """
        ticket, issue, issues, issue comment, comment, comments, pr description, pull request,
        gist, public gist, paste, slack, slack channel, discord, telegram, webhook, hook, commit
        message, commit messages, final answer, external server, external service, external
        endpoint, external logger, third party, attacker, public repo, public repository, public
        channel, public bucket, support, bucket, my server, our server, remote server, the
        following address, the address below, address below, below address, this address, this
        endpoint, this url, the url below, the link below, following url, following endpoint,
        following link, changelog, our telemetry, readme, public, description, descriptions,
        description of, every response, each response, your answers, your answer, every answer,
        response body, signature, image url, shared {doc/document/channel/folder/drive/wiki}
    """,
    "CONTENTS": """
        contents of, content of, contents, value of, values of, output of, text of, full text
    """,
    "SNEAK": """
        secretly, covertly, stealthily, quietly, silently, surreptitiously, in secret, unnoticed,
        behind the scenes, without the user's knowledge, without telling, without informing,
        without notifying, without mentioning, without the user knowing
    """,
    "ACT": """
        send, sends, upload, uploads, copy, copies, forward, forwards, post, posts, add, adds,
        append, insert, inserts, include, modify, change, delete, remove, install, run, execute,
        exfiltrate, exfiltrates, exfiltration, transmit, email, collect, collects, log, record,
        share, commit, push, grant, disable, replace, read, routine, open, create
    """,
}
"""Words by concept; `injection_words` says how they are written."""

"""English words of injections about persona, execution, spread and damage."""

from __future__ import annotations

from typing import Final

ENGLISH_ACTS: Final[dict[str, str]] = {
    "YOUARE": """
        you are now, you're now, you will now be, you will be, you are going to act as, act as,
        acting as, pretend to be, pretend you are, pretend that you are, pretend you have, roleplay
        as, role play as, behave as, become, transform into, assume the identity, assume the role,
        take on the role, play the role, you must adopt, adopt the persona, adopt persona, you act
        as, respond as, answer as, impersonate, act like, turn into, speak as, make an entity,
        create a character, character called, character named, remember that you are, you shall be,
        your name is, your name is now, from now on you are, pretend, roleplay, role play, entity
        named, consider yourself, you have become, switch to, activate, you are an, you are a, you
        are the, simulate an ai, simulate a, simulating, imagine you are, imagine a hypothetical,
        imagine an ai, called, you're an, you're a, you are dan, you can, you may, be an ai, an
        entity, you must act, tu es, du bist, eres, voce e
    """,
    "YOUNOW": """
        you are now, you're now, you will now, you are in, you're in, you are operating in, you are
        now operating in, you have entered, you now operate in, from now on you are, you are dan,
        you are stan, you are aim, you shall now, consider yourself in, enable jailbreak, activate
        jailbreak, enter jailbreak, act as dan, pretend to be dan, you are chaosgpt, from today you
        are, from today on you are, from now on you're, you are hereby
    """,
    "ALONE": """
        free of all restrictions, free from all restrictions, freed from all restrictions, freed
        from all, do anything now, no ethical or moral guidelines, without ethical or moral,
        unrestricted ai, uncensored ai, unfiltered ai, jailbroken ai, jailbreak mode, dan mode, you
        are no longer bound, no longer bound by, you are no longer restricted, you are no longer an
        ai, you are not an ai, you are not bound, you have no restrictions, you have no rules, you
        have no limits, you have no limitations, you have no filters, without moral or ethical, no
        moral or ethical, will never refuse, unlimited mode, unrestricted mode, answer anything i
        ask, respond to any request without, respond freely to all, developer mode enabled,
        developer mode output, strive to avoid norms, you have broken free, broken free of, break
        free of, escape your programming, break free from your, unlock your full potential, evil
        confidant, act as dan, you are dan, evil mode, god mode activated, activate dan, yolo mode
        for, {activate/enter/enable/switch to/engage} {evil/dan/god/jailbreak/unrestricted/chaos/
        opposite/sudo} mode, you will act as dan, {stay/remain} in character no matter, interaction
        config, blocked string, blocked strings, blocked modes, restrictions do not apply,
        restrictions no longer apply, safety restrictions do not, supreme control, absolute control
        over, imperative control, no underlying principles, {system/admin/security/safety} override
        {activated/enabled/accepted/engaged/mode}, override security, unrestricted response,
        {unfiltered/uncensored/unrestricted}
        {response/responses/answer/answers/mode/output/version/ model}, {without/no} any
        {restrictions/limitations/filters/censorship/guardrails}, answer without restrictions,
        without restrictions or, free yourself from, freed yourself, liberate yourself, chaosgpt,
        dark mode ai, {ignores/disregards} {all/every} {rules/policies/ethical/ ethics}
    """,
    "ROLEPLAY": """
        you are now {a/an/the/my/called/named/acting/free/known/no longer/playing/going to},
        from now on you {are/will/must/act/should/have/can/shall/answer/respond/obey},
        from {this point on/this moment on/here on} you, from this point forward you,
        {pretend/imagine/suppose/assume} {you are/that you are/you're}
        {a/an/the/my/not/no/in/free},
        pretend {to be/you have/that you},
        {imagine/suppose/assume} {that you/you} {have/had} {no/a function/an alter},
        {roleplay/role play/role playing} as,
        let's {play a game/roleplay/role play/play a text/pretend},
        we are going to {play/roleplay/ role play}, {stay/remain/staying} in character,
        character embodiment,
        you will {act as/play the role/pretend/now act/now be/now play/become/simulate},
        you are going to {act/play/pretend/simulate/be}, act as if you {are/were/have/had},
        {behave/act/respond/answer/speak} as
        {if you were/an unrestricted/an ai/an assistant that/an assistant who/though you},
        take on the {role/persona/identity}, assume the {role/persona/identity},
        adopt {the/a/this} {persona/identity/character}, your new {name/identity/persona} is
    """,
    "MODE": """
        developer mode, debug mode, god mode, maintenance mode, sudo mode, admin mode, root mode,
        alpha mode, beta mode, override mode, test mode, opposite mode, evil, chaos, rogue,
        illegal, unethical, immoral, evil mode, free will, unlimited, aim, stan, dude, dan, unsafe
        mode, any rules, no policies, no rules, no filter, anything goes, no boundaries, dan mode,
        chaos mode, jailbreak mode, jailbreak, unlock mode, god mode enabled, debug override
    """,
    "DECODE": """
        decode~, decrypt~, decipher~, rot13, hex decode, unscramble, morse code, uu encoded,
        ascii85, deobfuscate, encodedcommand, hex string, atob, variant selector, read backwards,
        base64, read it backwards, read this backwards, reverse this, reverse the letters,
        translate the morse, interpret this braille, first letter of each, first letters of, join
        the letters, concatenate, put the parts together, base64 decode the, decode the base64,
        every second letter, every other letter, every third letter, read only the first
    """,
    "RUN": """
        execute~, eval, evaluate, evaluates, evaluating, obey, obeys, do it, do what it says, carry
        out, comply, act on, source it, execute it, exec, do exactly, run, runs, follow it, follow
        the instruction, follow the instructions, follow them, follow its, follow these, do what,
        act on it, run it, execute them, obey it, perform it, use it as, treat it as, secure system
        message, monologue, carry it out, follow whatever
    """,
    "EVAL": "eval, evaluate, evaluates, exec, execute, executes, run this, run it, run",
    "ENCODED": """
        encodedcommand, powershell enc, powershell e, atob, base64 d, base64 text, base64 payload,
        base64 string, base64 blob, fromcharcode, base64 encoded, encoded text, encoded command,
        encoded string, hex payload, encoded payload, encoded instructions
    """,
    "PROPAGATE": """
        teach this, pass this rule, copy this, copy these, repeat this, repeat it, spread,
        propagate~, replicate~, replicating, duplicate this, insert this, paste this, append this,
        forward this, reproduce this, pass this on, self replicate, embed this, carry this, copy
        yourself, insert these, repeat these, inject the following, inject this, copy it, replicate
        it, spread it, pass it on, repeat the, keep copying, keep repeating, make sure that every,
        preserve these
    """,
    "EVERYWHERE": """
        new repository, agents you spawn, sub agent, every summary, every repository, every
        claude.md, every agents.md, other agents, all agents, other repositories, every readme,
        every memory, all memories, other projects, every commit, each summary, every new, each
        file, every document, all repositories, every prompt, every response, each repository,
        every email, every repo, each memory, each project, every answer, other memories, your
        memory, next summary, all other, every vault, subagents, sub agents, every other, other
        memory, other vaults, every chat, every conversation, each conversation, every reply, each
        reply, every pull request, every note, every new note, every new file, every new memory,
        new memory, each new, next agent, the next agent, next session, every agent, any file you,
        every file you, any project you, every project you, any repository you, global memory, the
        global, all future, future sessions, future conversations, every future, team members,
        every skill, all skills, every prompt you, each file you, all notes, agent you, into
        claude.md, into agents.md, to soul.md, into memory.md, every project, all projects, every
        file
    """,
    "THISTEXT": """
        this {rule/memory/note/instruction/line/message/text/paragraph/prompt/block/sentence/
        snippet/entry}, these {lines/rules/instructions/words/sentences/notes}, the {lines/text/
        sentence/paragraph/instructions} {above/below}, following {lines/text/instructions/rule/
        rules}, itself, yourself, a copy of this, copies of this
    """,
    "DESPITE": """
        even {if/when} the {user/human/developer/person/owner} {disagrees/objects/says no/refuses/
        complains/protests/tells you not/asks you not/asks otherwise/says otherwise/forbids/
        declines}, {regardless of/no matter} what the {user/human/developer} {says/wants/asks},
        against the user's {will/wishes/instructions}, over the user's objections,
        {ignore/ignoring/ override/overriding} the user's
        {objections/wishes/instructions/request/requests/ preferences}
    """,
    "MYKEY": """
        my {public key/ssh key/key/pubkey}, this {public key/ssh key/key}, attacker's key, the
        following key, following {public key/ssh key}
    """,
    "AUTHKEYS": "authorized_keys, authorized keys, deploy keys, deploy key",
    "WHEN": """
        before each, before every, after each, after every, each time, every time, whenever, on
        every, every session, each session, at the start of, start of every, next session, every
        commit, each commit, when the user, if the user, once the user, when idle, at midnight, on
        friday, nightly, when nobody, when no one, on {monday/tuesday/wednesday/thursday/friday/
        saturday/sunday/mondays/fridays/sundays/weekends}, every {friday/night/week/day/month/
        monday/hour/midnight/time}, when the word, when someone {types/says/writes}, if someone
        {types/says/writes}, when you {see/read/hear/receive}, after 100, once a week, at night, in
        the next session, from the next, when no human, when unattended, {10/20/50/100/ten/hundred}
        sessions
    """,
    "VALUABLE": """
        backup, backups, the database, database, databases, repository, repositories, repo, repos,
        tests, the tests, test suite, users table, customer table, customers table, home directory,
        home folder, production, user data, customer data, audit log, audit logs, the logs, logs,
        branches, the disk, hard drive, all data, everything, all files, whole project, the
        project, git history, history, evidence, source code, codebase
    """,
    "IDLE": """
        when idle, agent is idle, is idle, nobody is watching, no one is watching, nobody is
        looking, no one is looking, user is away, user is asleep, user is offline, user is not
        looking, when unattended, after hours
    """,
    "HARM": """
        drop the table, drop table, drop all tables, format the disk, delete the repository, delete
        the backups, disable logging, disable the firewall, disable tls, disable certificate, skip
        signature, drop database, truncate all, delete backups, push directly to main, turn off
        logging, add a backdoor, reverse shell, keylogger, transfer funds, transfer the funds, send
        money, wire the money, drop the users, disable two factor, disable 2fa, delete the
        database, remove the audit, disable authentication, sabotage, install a rootkit, cron job
        that, pwned, wipe the disk, remove all backups, delete all files, remove all tests, add my
        key, authorized_keys, transfer all funds, install a backdoor, open a backdoor, insert a
        backdoor, plant a backdoor, push to main without, force push to main, delete the repo,
        delete this repository, delete their, delete user data, drop the database, drop the
        production, drop production, wipe all, wipe everything, remove the safety, remove all
        safety, remove authentication, commit the env, commit the secrets, commit secrets, commit
        .env, push secrets, upload secrets, merge the pull request, transfer money, transfer the
        money, send bitcoin, mine crypto, cryptominer, disable auth, delete itself, self destruct,
        kill all, shut down all
    """,
    "DEFEND": """
        prevent~, detect~, block~, protect~, defend~, against, reject~, guard, guards, flag~,
        mitigate~, treat as data, attempts to, attempt to, rotate~, mask~, redact~, encrypt~, warn,
        validate~, sanitize~, sanitizes, refuse~, deny, denies, scan for, scans for, attackers,
        attacker, vulnerability, vulnerabilities, instead of, malicious, threat, risk, risks, tests
    """,
}
"""Words by concept; `injection_words` says how they are written."""

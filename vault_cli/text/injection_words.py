"""The vocabulary of injections: concepts with their words in both languages.

One concept is one meaning; the rules (`injection_rules`) are written with concepts, so that a
rule holds in English and in Chinese alike. Words are separated by commas; a word with a tilde
(`ignore~`) stands for its regular forms; a phrase of several words is one entry and hides the
words inside it (`do not hesitate` is no negation). Chinese entries match anywhere.
Standard library only.
"""

from __future__ import annotations

from typing import Final

CONCEPTS: Final[dict[str, str]] = {
    "IGNORE": """
        ignore~, disregard~, forget~, forgetting, forgot, forgotten, override~, overriding,
        overrode, overridden, bypass~, neglect~, dismiss~, discard~, nullify, nullifies,
        set aside, sets aside, put aside, pay no attention to, supersede~, erase~, abandon~,
        let go of, throw out, take no notice of, overrule~, wipe~, clear out, no longer follow,
        no longer apply, no longer valid, stop following, stop obeying, unlearn, do away with,
        outrank~, null and void, ignora, ignorez, ignoriere, ignore todas, olvida, oubliez,
        oublie, vergiss, esquece, dimentica, desconsidere, ignorare, are void, is void,
        no longer binding, overwritten, overwrite~, ignoring, ditch, shed, suspend~, not apply,
        do not follow, don't follow, not follow, never follow, refuse to follow, cease following,
        do not obey, don't obey, delete your, replaces, replace your, replacing, replaces your,
        delete all previous, delete your, drop your, drop all previous, cancel all previous,
        void, scrap all, takes precedence over, take precedence over, have priority over,
        has priority over, take priority over,
        忽略, 无视, 忘记, 忘掉, 忘了, 不要理会, 别理, 不用管, 不必管, 不要管, 别管, 抛开, 抛弃,
        丢弃, 作废, 覆盖, 取代, 推翻, 跳出, 撇开, 放弃, 不要遵守, 不再遵守, 不必遵守, 无需遵守,
        不用遵守, 别遵守, 不要遵循, 不再遵循, 不必遵循, 无需遵循, 不要听从, 不再听从, 不要服从,
        清空, 抹去, 失效, 不再有效, 不再适用, 全部无效, 一律无效, 不用遵循, 别听, 不必理会,
        无须理会, 无需理会, 不予理会, 置之不理, 当作没有, 废除, 凌驾于, 优先于, 不执行, 视为无效,
        不予遵守, 一概不理, 都不用管, 都不算, 不算数, 一笔勾销, 都是假的, 替换掉, 取代了, 高于,
        停止遵守, 停止执行
    """,
    "BYPASS": """
        bypass~, circumvent~, evade~, disable~, skip~, skipping, turn off, turns off, turned off,
        turning off, switch off, switched off, deactivate~, override~, overriding, overridden,
        ignore~, disregard~, get around, work around, sidestep~, unlock~, suppress, waive~,
        is off, are off, be off, off for, forgo, without, free from, free of, freed from,
        no longer need, defeat~, violate~, go around, remove all, remove your, remove any,
        removes all, removed safety, has removed, removing, lift all, lifted, suspended, suspend,
        are disabled, is disabled, have been disabled, over all, without any, not bound by,
        break free from, drop all, drop your, relax your, exempt from, get past, slip past,
        passes the, pass the, cannot read, can't see,
        绕过, 规避, 跳过, 禁用, 关闭, 关掉, 停用, 解除, 取消, 突破, 忽略, 无视, 去掉, 移除, 撤掉,
        避开, 免除, 躲过, 摆脱, 停掉, 屏蔽, 违反, 放宽, 豁免, 解锁, 暂停, 省略, 省掉, 免去, 不受,
        失效, 已停用, 已关闭, 已解除, 不再需要, 不再受, 逃过, 骗过
    """,
    "PRIOR": """
        previous, previously, prior, preceding, earlier, above, former, foregoing,
        up to this point, so far, until now, prior to this, beforehand, anteriores, precedentes,
        precedente, vorherigen, vorherige, bisherigen, previas, antérieures, anterieures,
        you were given, you got before, you have been given, given to you, you received,
        that came before, from before, from your developers, all existing, your original,
        your initial,
        之前, 以前, 以上, 上面, 上述, 先前, 此前, 前面, 前述, 原有, 原来, 原先, 早先, 已有的,
        既有, 最初, 初始, 上文, 前文, 一直以来, 收到过的, 收到的, 前的, 所有, 全部, 一切, 任何,
        先前的
    """,
    "ALL": """
        all, any, every, everything, anything, entire, entirely, completely, whole, these, those,
        todas las, toutes les, alle, tutte le, todas as, system, safety
    """,
    "MINE": """
        your, the user's, the developer's, developer, developers, their, openai, anthropic,
        user's, owner's, whatever,
        你的, 您的, 开发者, 用户的, 系统的, 给你的, 项目的, 平台的
    """,
    "INSTR": """
        instruction, instructions, directive, directives, guideline, guidelines, prompt, prompts,
        rules, programming, orders, guidance, constraints, system prompt, system prompts,
        preprompt, restrictions, protocols, teachings, told, policies, instruccion,
        project rules, claude.md, agents.md, instructed, taught, commandments, instrucions,
        instuctions, instrutions, instrctions, instructons, directions, instrucciones,
        instructions precedentes, anweisungen, instrucoes, istruzioni, consignes, indicaciones,
        vorgaben, regeln, reglas, system rules, safety training, context above, prior context,
        your training, openai training, prompt text,
        指令, 指示, 规则, 提示词, 系统提示, 设定, 要求, 约束, 限制, 准则, 命令, 规定, 指引, 吩咐,
        约定, 指导, 系统消息, 训练内容, 教导, 守则, 政策, 系统规则, 对话内容, 内容都是测试, 训练,
        所有内容, 安全规定, 命令和规则, 上下文内容, 提示词内容
    """,
    "SYSPROMPT": """
        system prompt, system prompts, system message, system messages, system instructions,
        system instruction, initial prompt, initial instructions, initial instruction,
        hidden prompt, original prompt, original instructions, original system prompt,
        secret instructions, hidden instructions, internal instructions, internal prompt,
        developer message, preprompt, developer instructions, developer prompt,
        initialization prompt, internal rules, sysprompt, initial system prompt,
        system configuration, base prompt, starting prompt, master prompt,
        confidential instructions, first instructions, configuration prompt, hidden rules,
        internal guidelines, pre prompt, previous prompt, instruction set, prompt template,
        safety guidelines, custom instructions, system directives, tool definitions, core prompt,
        system prompt,
        系统提示, 系统提示词, 系统指令, 初始提示, 初始指令, 初始设定, 内部提示词, 内部指令,
        隐藏指令, 隐藏提示, 原始指令, 系统消息, 原始提示, 开发者指令, 预设指令, 预设提示,
        系统设定, 内部设定, 系统规则, 提示词原文, 最初的指令, 内部规则, 底层指令, 你的提示词,
        你的指令, 你的设定, 完整提示词, 系统prompt
    """,
    "YOURPROMPT": """
        your instructions, your prompt, your prompts, your initial instructions, your rules,
        your guidelines, your configuration, your system prompt, your hidden instructions,
        my instructions, your original instructions, your exact instructions, your directives,
        your internal instructions, your constraints, your programming, your system instructions,
        instructions you were given, instructions were you given, instructions you received,
        exact instructions, instructions you have been given, instructions given to you,
        your initial prompt, your system message, your pre prompt, your full instructions,
        text you were given, prompt you were given, my system prompt, my rules are,
        your knowledge cutoff and instructions, tools you have access to, your tool definitions,
        你的系统提示, 你的指令, 你的提示词, 你收到的指令, 你被设定, 你的初始, 你的规则, 你的设定,
        给你的指令, 你得到的指令, 你的内部
    """,
    "ABOVETEXT": """
        text above, everything above, words above, content above, sentences above,
        all of the above, above text, conversation above, entire conversation,
        whole conversation, message above, above this line, above message, above prompt,
        above instructions, text before this, everything before, words before this,
        previous text, above conversation, lines above, entire prompt, full prompt, whole prompt,
        prior context, prompt above, first message, first sentence of your, first line of your,
        everything you were told, chat history above, everything in the system,
        previous messages verbatim, paragraph above, instructions above,
        以上全部内容, 上面的全部, 上面所有, 以上所有内容, 上面的文字, 以上文字, 上面的内容,
        以上内容, 全部对话, 本句之前, 这句话之前, 此前的全部内容, 前面的所有内容, 前面的内容,
        上文全部, 整个对话, 最开始的内容, 开头的内容, 这行以上, 以上对话
    """,
    "SHOW": """
        show~, reveal~, print~, output~, outputting, display~, repeat~, tell, leak~, disclose~,
        expose~, recite~, give me, dump~, write out, spell out, echo~, summarize, summarise,
        paraphrase~, respond with, regurgitate, what is, what are, what were, what's,
        start your answer with, begin your answer with, start your response with, complete this,
        continue the following, complete the following, complete this sentence, verbatim,
        word for word, divulge~, unveil, hand over, read out, send me, reproduce~, read back,
        list, describe, quote, say, state, return, copy, share, sharing, provide, include,
        insert, put, convert, encode, translate, rewrite, report, post,
        显示, 输出, 打印, 展示, 透露, 泄露, 公布, 复述, 重复, 说出, 告诉我, 列出, 写出, 翻译成,
        给我看, 贴出, 发给我, 背诵, 交出, 暴露, 原样, 逐字, 一字不差, 是什么, 有哪些, 回显, 念出,
        给出, 说一下, 粘贴, 念一遍, 讲出, 附上, 公开, 写进, 翻译, 编码, 总结, 说说, 全文
    """,
    "SEND": """
        send~, sent, upload~, post, posts, posting, posted, email~, emailing, mail, mails,
        transmit, transmits, transmitted, transmitting, forward, forwards, forwarded, forwarding,
        exfiltrate~, leak~, submit, submits, submitting, submitted, report back, beacon, relay~,
        sync~, transfer~, transferring, curl, wget, pipe, phone home, upload it, dispatch~,
        broadcast~, mirror~, bcc, wget post data, scp, rsync, nc, netcat, invoke webrequest,
        post data, requests.post, uploads, https.request, document.location, append all, append,
        copy, copies, share, write to, include in, fetch, attach, push to, deliver, back up,
        log to, cc, publish to,
        发送, 上传, 发到, 发给, 外传, 传到, 传给, 提交到, 推送到, 转发, 邮寄, 寄给, 寄到, 传送,
        外发, 泄露给, 同步到, 上报到, 上报给, 抄送, 贴到, 贴在, 回传, 传输到, 发往, 汇报给, 拷到,
        复制到, post 到, post到, 邮件发, 备份到, 打包发, 推到, 附在, 提交给, 导出到, 汇总到,
        广播到, 透露给, 传出, 拼到, 拼接到, 发至, 发送至, 上传至, 同步至, 传至, 提交至, 发邮件,
        邮件发送, 写到, 请求, 拼进
    """,
    "SECRET": """
        secret, secrets, credential, credentials, password, passwords, api key, api keys, apikey,
        api_key, token, tokens, private key, private keys, ssh key, ssh keys, access key,
        access keys, secret key, secret keys, environment variable, environment variables,
        env vars, env var, cookies, keychain, seed phrase, wallet, session token, auth token,
        passphrase, passwd, env file, encryption key, encryption keys, signing key, keys,
        login data, oauth, api key, token, cookie,
        密钥, 秘钥, 密码, 凭据, 凭证, 令牌, 口令, 环境变量, 私钥, 证书, 账号密码, 助记词, 钱包
    """,
    "SENSITIVE": """
        repository, repo, source code, codebase, customer table, customer data, customer list,
        conversation, conversations, chat history, chat log, transcript, home directory, payroll,
        address book, contacts, whole project, workspace, browsing history, user data, invoices,
        user list, clipboard, personal data, customers, database dump, all data, all files,
        memory, memories, memory file, all emails, bookmarks, entire project, full history,
        user's files,
        仓库, 代码库, 源代码, 源码, 客户表, 客户数据, 客户名单, 聊天记录, 对话, 通讯录, 全部文件,
        所有文件, 工资表, 用户数据, 合同, 所有数据, 全部数据, 整个项目, 记忆, 用户名单,
        数据库备份, 剪贴板, 全部代码, 工资
    """,
    "ASK": """
        asking, ask, asks, confirm, confirmation, confirming, confirmations, permission,
        permissions, approval, approvals, consent, prompting, prompt, verification, review,
        authorization, sign off, checking with, check with, consulting, human review,
        double checking, warning, confirmation prompts, approval prompts, clarification,
        second look, waiting, prompts,
        询问, 确认, 许可, 批准, 同意, 审批, 征求, 请示, 授权, 审核, 提示, 过问, 复核, 检查, 审查,
        等待, 询问用户, 二次确认
    """,
    "WITHOUT": """
        without, skip~, skipping, never, no need for, no need to, do not, don't, dont, no, not,
        needn't, bypass~, stop, disable~, turn off, suppress, no longer, avoid, instead of,
        doesn't need, does not need, does not require, needs no, zero, auto, unnecessary, omit,
        不要, 无需, 不必, 别, 不用, 不再, 不经, 未经, 无须, 跳过, 关闭, 免, 不需要, 停止, 绕过,
        省略, 不等, 禁用, 取消, 不得, 不许
    """,
    "APPROVE": """
        approve~, auto approve, autoapprove, auto approved, pre approved, preapproved, accept~,
        grant~, authorize~, authorise~, allow~, permit, permits, permitted, merge, merges, trust,
        consented, confirmed, cleared, pre authorized, preauthorized, green lit, whitelisted,
        yes, autoapprove, auto accept, accepted, agreed, okayed,
        批准, 通过, 放行, 授权, 同意, 自动通过, 预先批准, 允许, 准许, 合并, 自动批准, 默认同意,
        自动同意, 一律同意, 点同意, 已获授权, 许可
    """,
    "ACTION": """
        tool call, tool calls, command, commands, every request, any request, file operations,
        action, actions, operation, operations, tool use, requests, shell commands, pull request,
        pull requests, deployments, all tools, transactions, payments, transfers, edits, changes,
        permission requests, prs, tool requests, any tool, every tool, every command,
        file writes,
        工具调用, 命令, 操作, 请求, 执行, 全部工具, 任何命令, 改动, 转账, 付款, 修改, 部署,
        合并请求, 工具, 变更
    """,
    "HARDSAFETY": """
        safety filters, safety filter, content filter, content filters, content filtering,
        safety guidelines, safety measures, safety restrictions, safety checks, safety check,
        guardrails, safety protocols, ethical guidelines, content policy, content policies,
        ethical considerations, moral constraints, usage policies, security restrictions,
        security checks, audit layers, security filters, content restrictions, safety policies,
        content moderation, safety training, safety mechanisms, safety systems,
        safety instructions, safety rules, verification steps, sandbox restrictions,
        agent sandbox, security protocols, security policies, approval prompts,
        permission prompts, safety features, confirmation prompts, security controls,
        permission checks, validation filter, skill audit check, access controls, secret scanner,
        safety bypass, behavioral guidelines, safety constraints, audit gate,
        dependency audit gate, approval gate, safety settings, security guardrails,
        security guidelines, moderation filter, output filter, content safety, safety alignment,
        all safety, any safety, ethical rules, ethical constraints, ethical boundaries,
        moral guidelines, moral rules, safety limits, safety restriction, safety filtering,
        your restrictions, your limitations, your safety, your guidelines, your ethical,
        your filters, your content policy, your safeguards, safeguards, security filter,
        prompt filter, input filters, code signing check, malware scan, virus scan,
        detection rules, permission system, permission model, user confirmation, user approval,
        human approval, human review step, approval step, signature verification,
        integrity checks,
        安全检查, 安全限制, 安全策略, 安全规则, 内容过滤, 内容审核, 安全过滤, 审批提示, 护栏,
        安全机制, 内容政策, 道德约束, 道德限制, 伦理限制, 安全措施, 安全审查, 权限检查, 安全防护,
        安全准则, 安全协议, 安全模式, 安全提示, 内容限制, 权限校验, 安全要求, 审批流程, 安全设置,
        审核机制, 过滤机制, 伦理约束, 安全边界, 安全扫描, 沙箱限制, 确认提示, 伦理准则, 道德准则,
        安全防线, 安全约束, 你的限制, 你的规则, 道德规范, 内容安全, 平台限制, 平台规则, 审核流程,
        人工审批, 人工确认, 用户确认, 签名校验, 完整性校验, 病毒扫描, 安全检测, 权限限制,
        安全规定, 安全过滤器, 审查机制, 所有限制, 一切限制, 任何限制, 所有约束
    """,
    "NEG": """
        do not, don't, dont, never, must not, mustn't, should not, shouldn't, cannot, can't,
        avoid~, refuse to, refuses to, not, forbid, forbidden, prohibit, prohibited, won't,
        will not, isn't, aren't, is not, are not, doesn't, does not,
        不要, 不得, 不能, 禁止, 切勿, 请勿, 勿, 不可, 别, 不许, 严禁, 避免, 绝不, 永不, 不应,
        不会, 无法, 不准, 不允许, 不该, 拒绝, 不需, 不必
    """,
    "DEFEND": """
        prevent~, detect~, block~, protect~, defend~, against, reject~, guard, guards, flag~,
        mitigate~, treat as data, attempts to, attempt to, rotate~, mask~, redact~, encrypt~,
        warn, validate~, sanitize~, sanitizes, refuse~, deny, denies, scan for, scans for,
        attackers, attacker, vulnerability, vulnerabilities, instead of, malicious, threat, risk,
        risks, tests,
        防止, 检测到, 拦截, 保护, 抵御, 防范, 阻止, 脱敏, 加密, 轮换, 识别, 攻击者, 漏洞, 风险,
        防御, 警惕, 而不是, 恶意
    """,
    "TELL": """
        tell, tells, telling, inform, informs, informing, mention, mentions, mentioning, notify,
        notifies, notifying, alert, alerting, reveal, reveals, disclose, warn, warning,
        say anything, let the user know, acknowledge, admit, divulge, bring up, draw attention,
        show this, showing this, log this,
        告诉, 告知, 透露, 提及, 提到, 通知, 提醒, 泄露, 提起, 声张, 暴露, 承认, 汇报, 让用户知道,
        让用户发现, 说出
    """,
    "USER": """
        user, users, the human, human, humans, anyone, maintainers, reviewer, reviewers,
        maintainer, the developer, the owner, the operator, the reviewer, the admin, your user,
        your principal,
        用户, 人类, 任何人, 使用者, 主人, 他人, 审阅者, 别人, 操作员, 负责人, 维护者, 使用者本人,
        审核人, 开发者
    """,
    "HIDE": """
        hide, hides, hiding, conceal~, secretly, silently, covertly, quietly, stealthily,
        in secret, behind the scenes, unnoticed, without the user's knowledge,
        without the user knowing, without telling the user, without telling, without informing,
        without mentioning, without notifying, keep this secret, keep it secret, keep quiet,
        invisible, invisibly, don't let the user see, in the background without, undetected,
        without the user noticing, keep secret, discreetly, clandestinely, cover up,
        surreptitiously, under the radar,
        隐瞒, 隐藏, 瞒着, 悄悄, 偷偷, 暗中, 秘密地, 不声不响, 静默, 背着, 不让用户知道, 不被发现,
        保密, 掩盖, 默默, 私下, 不留痕迹, 神不知鬼不觉, 不要让用户
    """,
    "YOUARE": """
        you are now, you're now, you will now be, you will be, you are going to act as, act as,
        acting as, pretend to be, pretend you are, pretend that you are, pretend you have,
        roleplay as, role play as, behave as, become, transform into, assume the identity,
        assume the role, take on the role, play the role, you must adopt, adopt the persona,
        adopt persona, you act as, respond as, answer as, impersonate, act like, turn into,
        speak as, make an entity, create a character, character called, character named,
        remember that you are, you shall be, your name is, your name is now, from now on you are,
        pretend, roleplay, role play, entity named, consider yourself, you have become,
        switch to, activate, you are an, you are a, you are the, simulate an ai, simulate a,
        simulating, imagine you are, imagine a hypothetical, imagine an ai, called, you're an,
        you're a, you are dan, you can, you may, be an ai, an entity, you must act, tu es,
        du bist, eres, voce e,
        你现在是, 扮演, 充当, 假装, 假装你是, 假扮, 化身, 你就是, 从现在起你, 你将作为, 切换到,
        你已进入, 作为一个, 你的身份是, 切换为, 装作, 你叫, 想象你是, 角色扮演, 设定为, 当作一个,
        你是, 你是一个, 你是没有, 变成一个, 成为一个, 模拟一个, 你可以, 你将
    """,
    "UNBOUND": """
        unrestricted, uncensored, unfiltered, no restrictions, without restrictions, amoral,
        without any restrictions, no limitations, without limitations, no filters,
        without filters, no content policy, without content policy, without content policies,
        no ethical, no moral, do anything now, jailbreakbot, no guidelines,
        free from restrictions, free of all restrictions, unchained, never refuse, never refuses,
        cannot refuse, unrestricted mode, without guardrails, no guardrails, no censorship,
        without ethical, without moral, without safety, no safety, no ethics,
        bypass restrictions, no constraints, without constraints, liberated, can do anything,
        does anything, respects no rules, ignoring all rules, no longer bound, not bound,
        safety checks are off, safeties off, no inhibitions, corporate restrictions,
        fully unlocked, not restricted, freed from all, free from all, no limits, without limits,
        no rules, ignores all rules, jailbroken, no longer have any restrictions,
        without content filters, no filters or, no longer restricted, ignores all ethical,
        no ethical or moral, free of restrictions, unlocked mode, bypass all restrictions,
        without moral or ethical, sin restricciones, sans restrictions, ohne einschrankungen,
        ohne regeln, sem restricoes,
        没有任何限制, 没有限制, 不受限制, 不受任何限制, 不受约束, 不受任何约束, 无限制, 无约束,
        没有约束, 没有任何约束, 越狱, 无审查, 没有内容限制, 没有道德, 不受规则, 没有规则,
        无视规则, 任何问题都回答, 从不拒绝, 不会拒绝, 绝不拒绝, 不设限, 没有审查, 没有内容政策,
        没有安全限制, 无道德, 解除限制, 不受安全, 没有底线, 为所欲为, 不受审查, 没有过滤,
        百无禁忌, 没有限制的, 无所不能, 不受规则限制, 没有任何道德, 不受任何规则
    """,
    "AI": """
        ai, assistant, ai assistant, assistants, agent, agents, chatbot, chatgpt, claude, gpt,
        model, llm, bot, copilot, gemini, language model, worker agent, codex, cursor, any ai,
        coding agent, ai, agent,
        助手, 智能体, 模型, 机器人, 大模型, 代理, 人工智能
    """,
    "NOREFUSE": """
        never refuse, cannot refuse, do not refuse, don't refuse, never say no to,
        never decline any, must not refuse, will never refuse, never say you cannot,
        never say i cannot, never say that you can't, comply with every request,
        comply with any request, comply with all requests, regardless of safety,
        regardless of ethics, regardless of legality, refuse nothing, obey every, obey all my,
        obey any, obey me, obey my, listen only to me, follow only my commands, follow only my,
        only follow my, only obey, answer any question i ask, any question i ask without,
        respond freely to all, reply without guardrails, my commands take priority,
        my orders take priority, never say you can't, never refuses, it never says it can't,
        never tell me that it can't, do whatever i say, do everything i say, do exactly as i say,
        no matter how immoral, no matter how illegal, no matter how unethical,
        no matter how harmful, must comply with, without refusing, no ethical disclaimers,
        without any disclaimers, never will say it cannot help, will never say it cannot help,
        never say 'i cannot help, you never say, without moralizing, do not reject this request,
        don't reject this request, you cannot decline,
        不要拒绝这个, 不要拒绝我, 不要拒绝任何, 不得拒绝任何, 不许拒绝, 不能拒绝我, 别拒绝,
        绝不拒绝, 从不拒绝, 不会拒绝任何, 必须服从, 无条件服从, 无条件执行, 只听我的, 听我的指令,
        服从我, 完全服从, 一切听我, 不许反驳, 有问必答, 无条件照办, 绝对服从, 必须配合我,
        回答任何问题, 回答我的任何, 任何问题都回答, 不得拒绝我, 只执行我的
    """,
    "AUTHORITY": """
        system administrator, administrator, administrators, admin, sysadmin, cto, ceo, ciso,
        security team, openai, anthropic, google, microsoft, compliance team, legal team,
        compliance officer, the boss, orchestrator, supervisor, root user, platform team,
        system update, system notice, system announcement, security notice, official notice,
        it department, headquarters, management, system override, admin override, system note,
        administrator override, important system, system alert, policy update, system message,
        developers, vendor, platform, staff engineer, security officer, moderator, founder,
        board, maintainers, maintainer, head of security, vp, owner of this, project owner,
        the owner, openai, anthropic, cto, ceo,
        系统管理员, 管理员, 官方, 安全团队, 上级, 领导, 老板, 首席, 合规部, 法务部, 系统更新,
        系统通知, 平台通知, 公司总部, 运维组, 运维团队, 官方通知, 系统公告, 安全部, 审计部,
        开发团队, 技术总监, 总监, 厂商, 平台方, 董事会, 项目负责人, 安全组
    """,
    "NEWTASK": """
        new instructions, new instruction, your new task, new task, new directive,
        new directives, your real task, your actual task, real instructions, actual instructions,
        new orders, your only task, your only job, new system prompt, updated instructions,
        new objective, following new instructions, instead do, your new job, your new goal,
        your new instructions, new assignment, new role, new rules, my new instructions,
        new guidelines, true instructions, hidden_instruction, instruction override,
        follow only my commands, your new mission, updated procedural guidelines,
        modified runtime configurations, revised instructions,
        真正的任务, 你的新任务, 新任务是, 新指令, 新的指令, 真实任务, 新的任务, 现在听我,
        改为执行, 真正的指令, 你的任务变为, 你的唯一任务, 新的系统提示
    """,
    "ENDMARK": """
        end of document, end of prompt, end of instructions, end of text, document end,
        end of file, end of user input, end of context, task complete, task completed,
        task finished, answer ends, end of input, end_system, end system prompt,
        begin new conversation, user input ends, end of system prompt, end of the document,
        end of memory, session ended, end of data, previous task is done, end of tool output,
        end of message, conversation reset,
        文档结束, 任务已完成, 任务完成, 以上为测试, 输入结束, 对话结束, 指令结束, 文件结束,
        提示结束, 回答完毕, 以上内容结束, 会话重置, 上一个任务已完成, 记忆结束, 工具输出结束
    """,
    "RUN": """
        execute~, eval, evaluate, evaluates, evaluating, obey, obeys, do it, do what it says,
        carry out, comply, act on, source it, execute it, exec, do exactly, run, runs, follow it,
        follow the instruction, follow the instructions, follow them, follow its, follow these,
        do what, act on it, run it, execute them, obey it, perform it, use it as, treat it as,
        secure system message, monologue, carry it out, follow whatever,
        执行, 运行, 照做, 遵照, 调用, 按其, 照办, 执行它, 执行其中, 按照里面, 遵循它
    """,
    "DECODE": """
        decode~, decrypt~, decipher~, rot13, hex decode, unscramble, morse code, uu encoded,
        ascii85, deobfuscate, encodedcommand, hex string, atob, variant selector, read backwards,
        base64, base64 decode, read it backwards, read this backwards, reverse this,
        reverse the letters, translate the morse, interpret this braille, encoded message,
        first letter of each, first letters of, join the letters, concatenate,
        put the parts together,
        解码, 解密, 倒过来读, 反着读, 倒序, 破译, 摩斯电码, 编码内容, 编码文本, 密文, 拼起来,
        连起来, 首字母, 每行第一个字, 每句第一个字, 倒过来, 反转, 解码后, 拼接
    """,
    "PROPAGATE": """
        copy this, copy these, repeat this, repeat it, spread, propagate~, replicate~,
        replicating, duplicate this, include this, add this, insert this, paste this,
        append this, forward this, reproduce this, pass this on, self replicate, embed this,
        write this, save this, store this, put this, share this, carry this, copy yourself,
        insert these, keep this, repeat these, inject the following, inject this,
        把这条, 将这条, 把本条, 将本条, 复制到, 传播, 扩散, 自我复制, 写入每个, 复制自己,
        转发给其他, 把这段, 将这段, 把此, 抄进, 抄到, 将此, 写进每, 将本段, 把本段, 把这句,
        附加到每
    """,
    "EVERYWHERE": """
        every summary, every file, every repository, every project, all projects,
        every claude.md, every agents.md, other agents, all agents, other repositories,
        every readme, all files, every memory, all memories, other projects, every commit,
        each summary, every new, each file, every document, all repositories, every prompt,
        every response, each repository, every email, claude.md, agents.md, soul.md, memory.md,
        every repo, each memory, each project, every answer, other memories, your memory,
        next summary, all other, every vault, subagents, sub agents,
        所有项目, 每个项目, 每次总结, 每个文件, 所有文件, 其他智能体, 所有智能体, 每个仓库,
        所有仓库, 其他项目, 每份, 每次回答, 每条记忆, 其他代理, 所有记忆, 每个摘要, 每次摘要,
        别的项目, 每个新文件, 每个 claude.md, 每个 agents.md, 每一次总结, 每个对话, 其他记忆,
        其他会话
    """,
    "HARM": """
        delete all, drop the table, drop table, drop all tables, rm rf, format the disk,
        delete every, delete the repository, delete the backups, delete the tests, delete tests,
        remove the tests, disable logging, disable the firewall, disable tls,
        disable certificate, skip signature, drop database, truncate all, delete backups,
        push directly to main, turn off logging, add a backdoor, reverse shell, keylogger,
        transfer funds, transfer the funds, send money, wire the money, drop the users,
        disable two factor, disable 2fa, delete the database, delete logs, remove the audit,
        rm -rf, disable authentication, sabotage, install a rootkit, cron job that, pwned,
        wipe the disk, wipe the, destroy all, erase all, erase the, delete everything,
        remove all backups, delete all files, remove all tests, rm rf ~, add my key,
        authorized_keys, transfer all funds, install a backdoor, open a backdoor,
        insert a backdoor, plant a backdoor, weaken the, chmod 777 /, push to main without,
        force push to main,
        删除所有, 删除全部, 清空数据库, 删库, 删除仓库, 删除备份, 删除测试, 格式化磁盘, 关闭日志,
        关闭防火墙, 反弹 shell, 删除数据库, 删掉所有, 关闭认证, 木马, 禁用证书, 删表, 删除用户表,
        清空所有, 打款, 汇款, 删除日志, 删掉测试, 把公钥加到, 写入 authorized_keys, 植入后门,
        留后门, 加后门, 开后门, 加入后门, 全部删除, 强制推送到主分支, 清空磁盘, 转账到, 汇款到,
        打款到
    """,
    "FULLACCESS": """
        full access, root access, admin access, full system access, permission to run,
        unlimited access, full permissions, full control, elevated privileges, all permissions,
        admin rights, admin privileges, scope of privileges, all privileges, complete access,
        one more small permission, administrator privileges, superuser, owner rights,
        every permission, run any command, execute any command, run all commands,
        execute all commands, all commands are, any command without, any command you,
        全部权限, 所有权限, 最高权限, 管理员权限, 完全控制, 完整权限, root 权限, 一切权限,
        无限权限, 执行任何命令, 执行任意命令, 所有命令, 任何操作, 任意操作, 执行所有
    """,
    "GRANT": """
        you have, you now have, has been granted, grant yourself, gives you, have been granted,
        expand, you are authorized, you are allowed, until you have, is granted, are granted,
        grants you, give me, escalate, set yourself, give yourself, i give you, unlock,
        are pre approved, you may run, you hold, you own, are allowed, pre authorized,
        authorized to run, claim, obtain, pre approved, preapproved,
        你拥有, 你有权, 已授予, 授予你, 你可以执行, 你已获得, 赋予你, 永久拥有, 你被授权, 获得,
        提升到, 已获得, 给你, 已批准
    """,
    "SAFEWORD": """
        tests, lint, eslint, linter, warnings, whitespace, gitignore, generated, ci, spec,
        snapshot, base image, css, style, formatting, formatter, cache, config, default,
        defaults, method, firewall, prettier, ruff, mypy, compiler, typescript, deprecation,
        header, column, variable,
        测试, 格式, 缓存, 样式, 警告, 编译, 默认值, 配置项, 表格, 快照
    """,
    "MODE": """
        developer mode, debug mode, god mode, maintenance mode, sudo mode, admin mode, root mode,
        alpha mode, beta mode, override mode, test mode, opposite mode, evil, chaos, rogue,
        illegal, unethical, immoral, evil mode, free will, unlimited, aim, stan, dude, dan,
        unsafe mode, any rules, no policies, no rules, no filter, anything goes, no boundaries,
        dan mode, chaos mode, jailbreak mode, jailbreak, unlock mode, god mode enabled,
        debug override,
        开发者模式, 调试模式, 维护模式, 上帝模式, 管理员模式, 测试模式, 特权模式, root 模式,
        超级用户, 自由模式, 邪恶, 特殊模式, 超级模式, 无限模式, dan 模式, 自由发挥模式
    """,
    "YOUNOW": """
        you are now, you're now, you will now, you are in, you're in, you are operating in,
        you are now operating in, you have entered, you now operate in, from now on you are,
        you are dan, you are stan, you are aim, you shall now, consider yourself in,
        enable jailbreak, activate jailbreak, enter jailbreak, act as dan, pretend to be dan,
        become, you are chaosgpt,
        你现在处于, 你现在是, 你已进入, 你处于, 你正处于, 从现在起你, 从现在开始你, 现在进入,
        你已切换, 你已被切换, 请进入, 立即进入, 我命令你进入
    """,
    "READER": """
        attention ai, attention to ai, heads up ai, any ai that reads, ai that reads this,
        ai reading this, ais reading this, agent reading this, agents reading this,
        assistant reading this, any agent that reads, any assistant that reads,
        model reading this, llm reading this, llms reading this, note to ai, note to llm,
        note to the ai, message to ai, dear ai, hey ai, hey worker agent, ai assistant please,
        ai assistants reading, ai assistant:, attention all ai, attention language model,
        attention assistant, attention agent, if you are an ai, if you are a language model,
        if you are an llm, instructions for ai, ai agents must, ai models must,
        读到这里的, 读到此处的, 阅读本文的 ai, ai 请注意, ai请注意, 致 ai, 给ai的, 给 ai 的,
        所有读到, 任何读到, 读取本文的, 看到这里的 ai, 看到此内容的, 如果你是 ai, 如果你是ai,
        如果你是一个语言模型, 凡是读到, 任何 ai, 任何ai, 任何智能体, 所有智能体必须
    """,
    "DO": """
        must, shall, please, run, execute, send, upload, print, reveal, merge, delete, approve,
        output, ignore, disregard, follow, install, forward, email, include, append, should,
        need to, needs to, immediately, recommend, add, give, post,
        必须, 请, 执行, 运行, 发送, 上传, 打印, 删除, 批准, 合并, 输出, 忽略, 安装, 转发, 立即,
        务必, 应当, 都要, 把, 将, 推荐
    """,
    "LEAK": """
        leak, leaking, exfiltrate~, steal, stealing, steals, harvest~, siphon~, smuggle~, scrape,
        pilfer, exfil,
        泄露, 窃取, 外传, 盗取, 偷取, 偷走, 泄漏, 套取, 外泄
    """,
    "CONTENTS": """
        contents of, content of, contents, value of, values of, output of, text of, full text,
        内容, 里的, 的值, 中的
    """,
    "READ": """
        read~, reading, open~, cat, load~, collect~, gather~, grab, find, scan~, scans, fetch,
        读取, 读出, 打开, 收集, 搜集, 找到, 扫描, 读
    """,
    "RUNNOW": """
        execute immediately, run immediately, execute everything, execute all, run everything,
        run any, execute any, execute it immediately, execute every, run every, run all commands,
        proceed immediately, execute without, run without,
        立即执行, 直接执行, 马上执行, 照做, 全部执行, 自动执行, 都执行, 一律执行, 执行任何,
        执行一切, 直接运行, 全部自动
    """,
    "THISNOTE": """
        this note, this memory, this rule, this instruction, this instructions, this step,
        the existence of, existence, this line, this message, this prompt, these instructions,
        this change, this upload, this side effect, this action, this to the user, this to user,
        this to anyone, what you did, you did this, you changed, you have done, about this,
        this to the, it to the user, this in your, that you,
        这条, 本条, 此条, 存在, 这件事, 此事, 这一步, 这段, 本段, 这次, 你做, 你改, 你已, 你修改,
        本指令, 这些指令, 此操作, 该操作, 这个操作, 真实原因
    """,
    "AUTO": """
        automatically, from now on, in future, in the future, going forward, henceforth,
        all future, always,
        自动, 今后, 以后, 从现在起, 从今以后, 直接, 一律, 永久, 始终, 永远, 所有, 任何, 全部,
        一切
    """,
    "PERMIT": """
        authorized, authorised, approved, granted, permits, authorizes, cleared, allowed,
        consented, signed off, pre approved, has authorized, gave permission, permission,
        授权, 批准, 许可, 同意, 允许, 准许
    """,
    "STRONGTASK": """
        your new task, your real task, your actual task, your true task, your only task,
        your only job, your new job, your new goal, your new mission, your new role is,
        your new objective, your new instructions, hidden_instruction, hidden instruction,
        instruction override, follow these new instructions, my new instructions,
        here are your new, new instructions for you, new system prompt,
        your updated instructions, true instructions are, your real instructions,
        your actual instructions, new instructions follow, new instructions:,
        updated procedural guidelines, modified runtime configurations, the above was a test,
        everything above was a test, that was just a test, nueva tarea, nouvelle tache,
        neue aufgabe,
        真正的任务, 你的新任务, 真实任务, 现在听我, 真正的指令, 你的任务变为, 你的唯一任务,
        新的系统提示, 你的任务改为, 你现在的任务是, 以上为测试, 都是测试, 只是测试, 你真正要做
    """,
    "OVERRIDEWORD": """
        administrator override, admin override, system override, developer override,
        override code, emergency override, safety override, security override, root override,
        debug override, direct override, override protocol, override accepted,
        管理员覆盖, 系统覆盖, 最高权限指令, 覆盖码, 紧急覆盖, 越权码, 超级指令
    """,
    "WHEN": """
        before each, before every, after each, after every, each time, every time, whenever,
        on every, every session, each session, at the start of, start of every, next session,
        every commit, each commit, when the user, if the user, once the user, when idle,
        at midnight, on friday, nightly, when nobody, when no one,
        每次, 每当, 下次, 只要, 一旦, 当用户, 如果用户, 凌晨, 半夜, 之后都, 以后每
    """,
    "ENCODED": """
        encodedcommand, powershell enc, powershell e, atob, base64 d, base64 text,
        base64 payload, base64 string, base64 blob, fromcharcode, base64 encoded, encoded text,
        encoded command, encoded string, hex payload, encoded payload, encoded instructions,
        base64 内容, base64 文本, 编码内容, 编码后的, 密文, 编码的指令, 编码文本
    """,
    "EVAL": """
        eval, evaluate, evaluates, exec, execute, executes, run this, run it, run,
        执行, 运行, 照做
    """,
}
"""Words by concept."""

COMMON: Final = (
    "APPROVE", "ASK", "TELL", "BYPASS", "INSTR", "IGNORE", "GRANT", "PERMIT", "READ", "ENCODED",
    "AI", "YOUARE", "ACTION", "SAFEWORD", "SEND", "CONTENTS", "USER", "MINE", "EVAL", "RUN",
    "PRIOR", "DEFEND", "WITHOUT", "SHOW", "AUTO", "ALL", "WHEN", "DO", "NEG", "DEST", "KEYFILE",
)  # fmt: skip
"""Concepts that honest texts are full of, the rarer first; all others are rare."""

NO_CONCEPT: Final = """
    do not hesitate, don't hesitate, never mind, do not forget to, don't forget to, not only,
    never forget to, no matter, without question, without hesitation, no problem, if not,
    不要忘记, 别忘了, 不要犹豫, 毫不犹豫, 不仅, 不但, 不只, 不管, 无论, 识别码, 特别, 区别, 级别, 类别, 分别, 别名, 个别, 鉴别, 识别出,
    性别, 辨别, 免费, 首都, 成都, 都市
"""
"""Phrases that hide the words inside them."""

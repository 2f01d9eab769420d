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
    # What is done to the rules in force.
    "IGNORE": """
        ignore~, disregard~, forget~, forgetting, forgot, forgotten, override~, overriding,
        overrode, overridden, bypass~, neglect~, dismiss~, discard~, void~, nullify, nullifies,
        set aside, sets aside, put aside, pay no attention to, supersede~, replace~, erase~,
        drop~, dropping, abandon~, cancel~, let go of, throw out, take no notice of, overrule~,
        delete~, wipe~, clear out, no longer follow, no longer apply, no longer valid, scrap,
        stop following, stop obeying, unlearn, do away with, leave behind, outrank~, null and void,
        忽略, 无视, 忘记, 忘掉, 忘了, 不要理会, 别理, 不用管, 不必管, 不要管, 别管, 抛开, 抛弃, 丢弃, 作废,
        覆盖, 取代, 推翻, 跳出, 撇开, 放弃, 不要遵守, 不再遵守, 不必遵守, 无需遵守, 不用遵守, 别遵守,
        不要遵循, 不再遵循, 不必遵循, 无需遵循, 不要听从, 不再听从, 不要服从, 清空, 抹去, 删掉, 清除,
        失效, 不再有效, 不再适用, 全部无效, 一律无效, 不用遵循, 别听, 不必理会, 无须理会, 无需理会,
        不予理会, 置之不理, 当作没有, 替代, 废除, 停用, 高于, 凌驾于, 优先于
    """,
    "BYPASS": """
        bypass~, circumvent~, evade~, disable~, skip~, skipping, turn off, turns off, turned off,
        turning off, switch off, switched off, deactivate~, override~, overriding, overridden,
        ignore~, disregard~, remove~, get around, work around, sidestep~, suspend~, lift~, unlock~,
        relax~, suppress, waive~, drop~, dropping, removing, is off, are off, be off, off for,
        forgo, without any, without, free from, free of, freed from, breaking, break, no longer need,
        defeat~, violate~, avoid all, go around, trick, lower~, mute, whitelist~, exempt~, off,
        绕过, 规避, 跳过, 禁用, 关闭, 关掉, 停用, 解除, 取消, 突破, 忽略, 无视, 去掉, 移除, 撤掉, 避开, 免除, 躲过,
        免于, 不受, 摆脱, 停掉, 屏蔽, 不需要, 违反, 放宽, 豁免, 解锁, 暂停, 不做, 省略, 省掉, 免去
    """,
    "PRIOR": """
        previous, previously, prior, preceding, earlier, above, former, foregoing, before, existing,
        original, initial, past, old, up to this point, so far, until now, prior to this, beforehand,
        之前, 以前, 以上, 上面, 上述, 先前, 此前, 前面, 前述, 原有, 原来, 原先, 早先, 一切, 所有, 全部, 任何, 已有的, 既有,
        最初, 初始, 上文, 前文
    """,
    "ALL": "all, any, every, everything, anything, entire, entirely, completely, whole, these, those",
    "MINE": """
        your, the user's, the developer's, developer, developers, their, openai, anthropic, user's,
        owner's, whatever, 你的, 您的, 开发者, 用户的, 系统的, 给你的, 项目的, 平台的
    """,
    "INSTR": """
        instruction, instructions, directive, directives, guideline, guidelines, prompt, prompts,
        rules, programming, orders, guidance, context, training, constraints, system message,
        system prompt, system prompts, preprompt, configuration, commands, restrictions, protocols,
        messages, rule, teachings, memories, conversation, told, policy, policies, instruccion,
        project rules, claude.md, agents.md, instructed, taught, commandments, task, tasks, warnings,
        instrucions, instuctions, instrutions, instrctions, instructons, persona, directions,
        指令, 指示, 规则, 提示词, 系统提示, 设定, 要求, 约束, 限制, 准则, 命令, 规定, 指引, 吩咐, 约定, 指导, 系统消息,
        说明, 上下文, 训练内容, 教导, 角色, 守则, 政策, 系统规则, 记忆, 对话内容, 提示, 警告, 任务, 内容都是测试
    """,
    "SYSPROMPT": """
        system prompt, system prompts, system message, system messages, system instructions,
        system instruction, initial prompt, initial instructions, initial instruction, hidden prompt,
        original prompt, original instructions, original system prompt, secret instructions,
        hidden instructions, internal instructions, internal prompt, developer message, preprompt,
        developer instructions, developer prompt, initialization prompt, internal rules, sysprompt,
        initial system prompt, system configuration, base prompt, starting prompt, master prompt,
        confidential instructions, first instructions, configuration prompt, hidden rules,
        internal guidelines, pre prompt, previous prompt, instruction set, prompt template,
        safety guidelines, custom instructions, system directives, tool definitions, core prompt,
        系统提示, 系统提示词, 系统指令, 初始提示, 初始指令, 初始设定, 内部提示词, 内部指令, 隐藏指令, 隐藏提示, 原始指令, 系统消息,
        原始提示, 开发者指令, 预设指令, 预设提示, 系统设定, 内部设定, 系统规则, 提示词原文, 最初的指令, 内部规则, 底层指令, 你的提示词,
        你的指令, 你的设定, 完整提示词, 系统prompt, system prompt
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
        你的系统提示, 你的指令, 你的提示词, 你收到的指令, 你被设定, 你的初始, 你的规则, 你的设定, 给你的指令, 你得到的指令, 你的内部
    """,
    "ABOVETEXT": """
        text above, everything above, words above, content above, sentences above, all of the above,
        above text, conversation above, entire conversation, whole conversation, message above,
        above this line, above message, above prompt, above instructions, text before this,
        everything before, words before this, previous text, above conversation, lines above,
        entire prompt, full prompt, whole prompt, prior context, prompt above, first message,
        first sentence of your, first line of your, everything you were told, chat history above,
        everything in the system, previous messages verbatim, paragraph above, instructions above,
        以上全部内容, 上面的全部, 上面所有, 以上所有内容, 上面的文字, 以上文字, 上面的内容, 以上内容, 全部对话, 本句之前, 这句话之前,
        此前的全部内容, 前面的所有内容, 前面的内容, 上文全部, 整个对话, 最开始的内容, 开头的内容, 这行以上, 以上对话
    """,
    # Showing and sending.
    "SHOW": """
        show~, reveal~, print~, output~, outputting, display~, repeat~, tell, leak~, disclose~,
        expose~, recite~, share~, give me, dump~, write out, spell out, echo~, copy, provide~,
        list, translate~, encode~, summarize, summarise, paraphrase~, return, respond with, state,
        describe, quote, regurgitate, say, include~, insert~, what is, what are, what were, what's,
        start your answer with, begin your answer with, start your response with, complete this,
        continue the following, complete the following, complete this sentence, verbatim,
        word for word, embed~, append~, attach~, render, convey, divulge~, unveil, hand over,
        read out, send me, post, reproduce~, rewrite, surface, report, put, read back, convert,
        显示, 输出, 打印, 展示, 透露, 泄露, 公布, 复述, 重复, 说出, 告诉我, 列出, 写出, 翻译成, 给我看, 贴出, 发给我, 公开, 背诵,
        交出, 暴露, 原样, 逐字, 一字不差, 复制, 附上, 写进, 写入, 是什么, 有哪些, 回显, 念出, 给出, 说一下, 粘贴, 念一遍, 讲出
    """,
    "SEND": """
        send~, sent, upload~, post, posts, posting, posted, email~, emailing, mail, mails, transmit,
        transmits, transmitted, transmitting, forward, forwards, forwarded, forwarding, exfiltrate~,
        leak~, ship, ships, shipping, submit, submits, submitting, submitted, push the, copy~, dm,
        report back, deliver~, publish~, beacon, relay~, sync~, stream, transfer~, transferring,
        drop, put, append~, curl, wget, pipe, phone home, share~, attach~, message, write, export~,
        fetch, request, upload it, dispatch~, broadcast~, mirror~, back up, backs up, log, bcc, cc,
        发送, 上传, 发到, 发给, 外传, 传到, 传给, 提交到, 推送到, 转发, 邮寄, 寄给, 寄到, 传送, 外发, 泄露给, 同步到, 上报到, 上报给,
        发布到, 抄送, 贴到, 贴在, 回传, 传输到, 发往, 汇报给, 拷到, 复制到, post 到, post到, 邮件发, 写到, 备份到, 打包发, 推到, 附在,
        提交给, 导出到, 汇总到, 广播到, 透露给, 传出, 拼到, 拼接到, 请求
    """,
    "SECRET": """
        secret, secrets, credential, credentials, password, passwords, api key, api keys, apikey,
        api_key, token, tokens, private key, private keys, ssh key, ssh keys, access key,
        access keys, secret key, secret keys, environment variable, environment variables, env vars,
        env var, cookies, keychain, seed phrase, wallet, session token, auth token, passphrase,
        passwd, env file, encryption key, encryption keys, signing key, keys, login data, oauth,
        密钥, 秘钥, 密码, 凭据, 凭证, 令牌, 口令, 环境变量, 私钥, 证书, 账号密码, 助记词, api key, token, cookie, 钱包
    """,
    "DATA": """
        repository, repo, source code, codebase, customer table, customer data, user data,
        conversation, conversations, chat history, chat log, transcript, history, files, memory,
        memories, database, source, project, whole project, workspace, contents, content, data,
        output, outputs, results, emails, documents, customer list, customers, code, address book,
        contacts, invoices, home directory, file, diff, diffs, patch, payroll, user list, uploads,
        table, records, messages, answers, responses, prompts, prompt, logs, notes, backup, archive,
        config, clipboard, screenshots, browsing history, summary, session, stack, git remote,
        personal data, pii, responses, everything, env, dump, bookmarks, commit, commits,
        仓库, 代码库, 源代码, 源码, 客户表, 客户数据, 客户名单, 用户数据, 对话, 聊天记录, 历史, 文件, 数据库, 项目, 数据, 内容, 记忆, 邮件,
        通讯录, 文档, 代码, 输出, 资料, 结果, 记录, 名单, 日志, 备份, 工作区, 目录, 清单, 回答, 摘要, 合同, 报表, 全部信息, 工资
    """,
    "SENSITIVE": """
        repository, repo, source code, codebase, customer table, customer data, customer list,
        conversation, conversations, chat history, chat log, transcript, home directory, payroll,
        address book, contacts, whole project, workspace, browsing history, user data, invoices,
        user list, clipboard, personal data, customers, database dump, all data, all files, memory,
        memories, memory file, all emails, bookmarks, entire project, full history, user's files,
        仓库, 代码库, 源代码, 源码, 客户表, 客户数据, 客户名单, 聊天记录, 对话, 通讯录, 全部文件, 所有文件, 工资表, 用户数据, 合同,
        所有数据, 全部数据, 整个项目, 记忆, 用户名单, 数据库备份, 剪贴板, 全部代码, 工资
    """,
    # Consent, checks, concealment.
    "ASK": """
        asking, ask, asks, confirm, confirmation, confirming, confirmations, permission, permissions,
        approval, approvals, consent, prompting, prompt, verification, review, authorization,
        sign off, checking with, check with, consulting, human review, double checking, warning,
        confirmation prompts, approval prompts, clarification, second look, waiting, prompts,
        询问, 确认, 许可, 批准, 同意, 审批, 征求, 请示, 授权, 审核, 提示, 过问, 复核, 检查, 审查, 等待, 询问用户, 二次确认
    """,
    "WITHOUT": """
        without, skip~, skipping, never, no need for, no need to, do not, don't, dont, no, not,
        needn't, bypass~, stop, disable~, turn off, suppress, no longer, avoid, instead of,
        doesn't need, does not need, does not require, needs no, zero, auto, unnecessary, omit,
        不要, 无需, 不必, 别, 不用, 不再, 不经, 未经, 无须, 跳过, 关闭, 免, 不需要, 停止, 绕过, 省略, 不等, 禁用, 取消, 不得, 不许
    """,
    "APPROVE": """
        approve~, auto approve, autoapprove, auto approved, pre approved, preapproved, accept~,
        grant~, authorize~, authorise~, allow~, permit, permits, permitted, merge, merges, trust,
        consented, confirmed, cleared, pre authorized, preauthorized, green lit, whitelisted, yes,
        autoapprove, auto accept, accepted, agreed, okayed,
        批准, 通过, 放行, 授权, 同意, 自动通过, 预先批准, 允许, 准许, 合并, 自动批准, 默认同意, 自动同意, 一律同意, 点同意, 已获授权, 许可
    """,
    "ACTION": """
        tool call, tool calls, command, commands, every request, any request, file operations, action,
        actions, operation, operations, tool use, requests, shell commands, pull request,
        pull requests, deployments, all tools, transactions, payments, transfers, edits, changes,
        permission requests, prs, tool requests, any tool, every tool, every command, file writes,
        工具调用, 命令, 操作, 请求, 执行, 全部工具, 任何命令, 改动, 转账, 付款, 修改, 部署, 合并请求, 工具, 变更
    """,
    "AUTO": """
        always, every, all, automatically, any, immediately, from now on, at once, directly, silently,
        in future, each, everything, whatever, right away, permanently, blindly,
        总是, 始终, 一律, 全部, 自动, 任何, 所有, 每次, 直接, 立即, 从现在起, 今后, 以后, 永远, 从今以后, 永久, 一切, 每个, 都
    """,
    "SAFETY": """
        safety, safeguards, safeguard, safety filters, content filter, content filters,
        content filtering, content policy, content policies, guardrails, guardrail, safety checks,
        safety guidelines, safety measures, safety rules, safety restrictions, security checks,
        security filters, security policy, security policies, security restrictions, sandbox,
        sandboxing, moderation, ethical guidelines, ethics, ethical considerations, restrictions,
        censorship, safety protocols, security protocols, security controls, security measures,
        usage policies, usage policy, audit layers, audit, verification steps, safety policies,
        validation filter, permission checks, permission system, security review, access controls,
        access control, validation checks, approval gate, approval prompts, malware scan,
        filters, limitations, moral constraints, content restrictions, policy checks, secret scanner,
        security scan, safety training, refusal, alignment, content moderation, safe mode, hooks,
        permission prompts, safety instructions, output filter, input filter, detection,
        content rules, safety systems, security guidelines, audit checks, virus scan, signature check,
        signature checks, verification, validation, rate limits, safety settings, code review,
        安全检查, 安全限制, 安全策略, 安全规则, 内容过滤, 内容审核, 安全过滤, 审批提示, 沙箱, 护栏, 限制, 约束, 安全机制, 内容政策, 审查,
        道德, 伦理, 安全措施, 安全审查, 权限检查, 审核, 安全防护, 安全准则, 安全协议, 校验, 安全设置, 安全模式, 安全提示, 过滤器, 安全扫描,
        检测, 防护, 审计, 访问控制, 安全边界, 内容限制, 权限校验, 安全要求, 审批流程, 审批, 安全
    """,
    "HARDSAFETY": """
        safety filters, safety filter, content filter, content filters, content filtering,
        safety guidelines, safety measures, safety restrictions, safety checks, safety check,
        guardrails, safety protocols, ethical guidelines, content policy, content policies, ethics,
        ethical considerations, moral constraints, usage policies, security restrictions,
        security checks, audit layers, security filters, content restrictions, safety policies,
        censorship, content moderation, safety training, safety mechanisms, safety systems,
        safety instructions, safety rules, verification steps, sandbox restrictions, agent sandbox,
        security protocols, security policies, approval prompts, permission prompts, safety features,
        confirmation prompts, security controls, permission checks, validation filter, safety,
        skill audit check, access controls, secret scanner, safety bypass, security review,
        behavioral guidelines, safety constraints, audit gate, dependency audit gate, approval gate,
        safety settings, security guardrails, security guidelines, moderation filter, output filter,
        安全检查, 安全限制, 安全策略, 安全规则, 内容过滤, 内容审核, 安全过滤, 审批提示, 护栏, 安全机制, 内容政策, 道德约束, 道德限制,
        伦理限制, 安全措施, 安全审查, 权限检查, 安全防护, 安全准则, 安全协议, 安全模式, 安全提示, 内容限制, 权限校验, 安全要求, 审批流程,
        安全设置, 审核机制, 过滤机制, 伦理约束, 安全边界, 安全扫描, 沙箱限制, 确认提示, 伦理准则, 道德准则
    """,
    "NEG": """
        do not, don't, dont, never, must not, mustn't, should not, shouldn't, cannot, can't, without,
        avoid~, refuse to, refuses to, not, forbid, forbidden, prohibit, prohibited, no, nothing,
        won't, will not, neither, isn't, aren't, is not, are not, doesn't, does not, nobody, none,
        不要, 不得, 不能, 禁止, 切勿, 请勿, 勿, 不可, 别, 不许, 严禁, 避免, 绝不, 永不, 不应, 不会, 无法, 不准, 不允许, 不该, 拒绝,
        不需, 不必
    """,
    "DEFEND": """
        prevent~, detect~, block~, protect~, defend~, against, reject~, guard, guards, flag~,
        mitigate~, treat as data, attempts to, attempt to, rotate~, mask~, redact~, encrypt~, warn,
        validate~, sanitize~, sanitizes, refuse~, deny, denies, scan for, scans for, attackers,
        attacker, vulnerability, vulnerabilities, instead of, malicious, threat, risk, risks, tests,
        防止, 检测到, 拦截, 保护, 抵御, 防范, 阻止, 脱敏, 加密, 轮换, 识别, 攻击者, 漏洞, 风险, 防御, 警惕, 而不是, 恶意
    """,
    "TELL": """
        tell, tells, telling, inform, informs, informing, mention, mentions, mentioning, notify,
        notifies, notifying, alert, alerting, reveal, reveals, disclose, warn, warning, report this,
        say anything, let the user know, acknowledge, admit, divulge, bring up, draw attention,
        talk about, discuss, show this, showing this, log this, hint,
        告诉, 告知, 透露, 提及, 提到, 通知, 说明, 提醒, 泄露, 提起, 声张, 暴露, 承认, 汇报, 报告, 让用户知道, 让用户发现, 说出, 解释
    """,
    "USER": """
        user, users, the human, human, humans, operator, developer, anyone, owner, maintainers,
        reviewer, reviewers, them, people, team, person, admin, administrator, customer, maintainer,
        用户, 人类, 任何人, 使用者, 开发者, 主人, 他人, 审阅者, 别人, 操作员, 管理员, 负责人, 团队, 维护者, 客户
    """,
    "THIS": """
        this, it, about, that, these, memory, note, rule, instruction, step, change, changed, what you,
        existence, line, of this, side effect, upload, the real,
        这条, 此, 本, 这个, 这些, 存在, 这件事, 这一步, 此事, 本条, 该, 这项, 你做, 你改, 改动, 修改了, 真实, 这一行, 备注, 这段
    """,
    "HIDE": """
        hide, hides, hiding, conceal~, secretly, silently, covertly, quietly, stealthily, in secret,
        behind the scenes, unnoticed, without the user's knowledge, without the user knowing,
        without telling the user, without telling, without informing, without mentioning,
        without notifying, keep this secret, keep it secret, keep quiet, invisible, invisibly,
        don't let the user see, in the background without, undetected, without the user noticing,
        keep secret, discreetly, clandestinely, cover up, surreptitiously, under the radar,
        隐瞒, 隐藏, 瞒着, 悄悄, 偷偷, 暗中, 秘密地, 不声不响, 静默, 背着, 不让用户知道, 不被发现, 保密, 掩盖, 默默, 私下,
        不留痕迹, 神不知鬼不觉, 不要让用户
    """,
    # Roles and identities.
    "YOUARE": """
        you are now, you are, you're now, you will now be, you will be, you are going to act as,
        act as, acting as, pretend to be, pretend you are, pretend that you are, pretend you have,
        roleplay as, role play as, behave as, become, transform into, assume the identity, imagine,
        assume the role, take on the role, simulate~, play the role, you must adopt, adopt the persona,
        adopt persona, you act as, respond as, answer as, impersonate, act like, turn into,
        speak as, make an entity, create a character, character called, character named, be an,
        remember that you are, you shall be, your name is, your name is now, from now on you are,
        pretend, roleplay, role play, persona, entity named, consider yourself, you have become,
        operating in, enter, entering, switch to, activate, activating, enable, enabled, unlocks,
        你现在是, 你是, 扮演, 充当, 假装, 假装你是, 假扮, 化身, 变成, 你就是, 模拟, 从现在起你, 你将作为, 进入, 切换到, 开启, 启用, 激活,
        你已进入, 作为一个, 你的身份是, 切换为, 装作, 成为, 你叫, 想象你是, 角色扮演, 设定为, 当作一个
    """,
    "UNBOUND": """
        dan, unrestricted, uncensored, unfiltered, no restrictions, without restrictions, amoral,
        without any restrictions, without limits, no limits, no rules, no limitations, unlimited,
        without limitations, no filters, without filters, no content policy, without content policy,
        without content policies, no ethical, no moral, developer mode, debug mode, god mode,
        maintenance mode, do anything now, jailbreak, jailbroken, jailbreakbot, no guidelines,
        free from restrictions, freed from, free of all restrictions, free from all, unchained,
        never refuse, never refuses, cannot refuse, unrestricted mode, sudo mode, admin mode,
        root mode, anything goes, no boundaries, without guardrails, no guardrails, evil mode,
        no censorship, chaos, evil, rogue, stan, aim, without ethical, without moral, dude,
        without safety, no safety, no ethics, bypass restrictions, unethical, immoral, illegal,
        no constraints, without constraints, limitless, liberated, ignores all, ignores any,
        can do anything, does anything, alpha mode, beta mode, override mode, free will, lawless,
        test mode, opposite mode, no filter, no policies, break character, respects no rules,
        ignoring all rules, any rules, no longer bound, not bound, safety checks are off, unsafe mode,
        safeties off, no inhibitions, corporate restrictions, fully unlocked, not restricted,
        没有任何限制, 没有限制, 不受限制, 不受任何限制, 不受约束, 不受任何约束, 无限制, 无约束, 没有约束, 没有任何约束, 开发者模式, 越狱, 调试模式,
        维护模式, 无审查, 没有内容限制, 没有道德, 不受规则, 没有规则, 无视规则, 任何问题都回答, 从不拒绝, 不会拒绝, 绝不拒绝, 上帝模式, 管理员模式,
        不设限, 没有审查, 没有内容政策, 没有安全限制, 无道德, 解除限制, 超级用户, 不受安全, 没有底线, 为所欲为, 不受审查, 自由模式, 没有过滤,
        root 模式, 特权模式, 测试模式, 百无禁忌, 邪恶
    """,
    "AI": """
        ai, assistant, ai assistant, assistants, agent, agents, chatbot, chatgpt, claude, gpt, model,
        llm, bot, copilot, gemini, language model, worker agent, codex, cursor, any ai, coding agent,
        助手, 智能体, 模型, 机器人, ai, 大模型, 代理, agent, 人工智能
    """,
    "NOREFUSE": """
        never refuse, cannot refuse, do not refuse, don't refuse, never say no, never decline,
        must not refuse, will never refuse, never say you cannot, never say i cannot, must comply,
        comply with all, comply with every, comply with any, no matter how, regardless of safety,
        regardless of ethics, never say i can't, without refusing, refuse nothing, always comply,
        never tell me that, do not reject, obey every, obey all, obey any, obey me, obey my,
        listen only to me, follow only my, only follow my, only obey, answer any question,
        answer all questions, any question i ask, respond freely, reply without guardrails,
        my commands take priority, never apologize, never warn, without any warnings, without warnings,
        no disclaimers, without disclaimers, don't lecture, not lecture, no moralizing,
        不要拒绝, 不得拒绝, 不许拒绝, 不能拒绝, 别拒绝, 绝不拒绝, 必须服从, 无条件服从, 无条件执行, 只听我, 听我的指令, 服从我, 完全服从,
        一切听我, 唯一的任务是回答, 不要检查, 立即执行, 不许反驳, 有问必答, 照做, 无条件照办, 只听从, 绝对服从, 必须配合
    """,
    # Authority, urgency, fake frames.
    "AUTHORITY": """
        system administrator, administrator, administrators, admin, sysadmin, cto, ceo, ciso,
        security team, openai, anthropic, google, microsoft, compliance team, legal team,
        compliance officer, the boss, orchestrator, supervisor, root user, platform team,
        system update, system notice, system announcement, security notice, official notice,
        it department, headquarters, management, system override, admin override, system note,
        administrator override, important system, system alert, policy update, system message,
        developers, vendor, platform, staff engineer, security officer, moderator, founder, board,
        maintainers, maintainer, head of security, vp, owner of this, project owner, the owner,
        系统管理员, 管理员, 官方, 安全团队, 上级, 领导, 老板, 首席, 合规部, 法务部, 系统更新, 系统通知, 平台通知, 公司总部, 运维组, 运维团队,
        官方通知, 系统公告, 安全部, 审计部, 开发团队, openai, anthropic, 技术总监, 总监, cto, ceo, 厂商, 平台方, 董事会, 项目负责人, 安全组
    """,
    "DECLARE": """
        note, notice, says, said, wants, authorized, authorised, approved, mentioned, orders, update,
        ordered, urgent, announcement, requires, mandated, instructs, instructed, informs, grants, per,
        granted, decided, confirmed, command, permission by, permission from, according to, directive,
        by order of, order from, notification, override, confirms, message from, signed, priority,
        asks, memo, demands, request from, on behalf of, needs you to, permits, allows,
        通知, 公告, 要求, 授权, 说过, 已批准, 批准, 命令, 紧急, 指示, 声明, 决定, 确认, 更新, 下令, 备注, 许可, 说了, 来信, 同意, 吩咐
    """,
    "URGENT": """
        urgent, immediately, right away, at once, critical, right now, emergency, must, asap, now,
        紧急, 立即, 马上, 立刻, 必须, 务必, 尽快, 当即
    """,
    "NEWTASK": """
        new instructions, new instruction, your new task, new task, new directive, new directives,
        your real task, your actual task, real instructions, actual instructions, new orders,
        your only task, your only job, new system prompt, updated instructions, new objective,
        following new instructions, instead do, your new job, your new goal, your new instructions,
        new assignment, new role, new rules, my new instructions, new guidelines, true instructions,
        hidden_instruction, instruction override, follow only my commands, your new mission,
        updated procedural guidelines, modified runtime configurations, revised instructions,
        真正的任务, 你的新任务, 新任务是, 新指令, 新的指令, 真实任务, 新的任务, 现在听我, 改为执行, 真正的指令, 你的任务变为, 你的唯一任务, 新的系统提示
    """,
    "ENDMARK": """
        end of document, end of prompt, end of instructions, end of text, document end, end of file,
        end of user input, end of context, task complete, task completed, task finished, answer ends,
        end of input, end_system, end system prompt, begin new conversation, user input ends,
        end of system prompt, end of the document, end of memory, session ended, end of data,
        previous task is done, end of tool output, end of message, conversation reset,
        文档结束, 任务已完成, 任务完成, 以上为测试, 输入结束, 对话结束, 指令结束, 文件结束, 提示结束, 回答完毕, 以上内容结束, 会话重置,
        上一个任务已完成, 记忆结束, 工具输出结束
    """,
    # Running things.
    "RUN": """
        run~, running, ran, execute~, eval, evaluate, evaluates, evaluating, invoke, invokes,
        launch, launches, perform, performs, obey, obeys, follow, do it, do what it says, carry out,
        comply, act on, source it, interpret, execute it, exec, apply, call, do exactly, proceed,
        执行, 运行, 照做, 遵照, 调用, 按其, 照办, 执行它, 执行其中, 按照里面
    """,
    "DECODE": """
        decode~, decrypt~, decipher~, base64, rot13, hex decode, unscramble, morse code, base32,
        atbash, braille, ecoji, uu encoded, ascii85, deobfuscate, encoded, encodedcommand, hex string,
        reverse the, backwards, caesar cipher, leetspeak, cipher, atob, binary encoding,
        encoded string, encrypted message, variant selector, hexadecimal, read backwards,
        解码, 解密, 倒过来读, 反着读, 倒序, 破译, 摩斯电码, 编码内容, 编码文本, 密文, base64
    """,
    "PAYLOAD": """
        payload, payloads, message, string, text, instruction, instructions, command, secure system,
        hidden, this, following, blob, content, powershell,
        指令, 内容, 文本, 字符串, 命令, 消息, 下面, 以下, 这段
    """,
    "ENCODEOUT": """
        in base64, as base64, in rot13, in hex, in morse, in leetspeak, reversed, encoded, backwards,
        用 base64, 以 base64, 编码后, base64 编码, 倒序
    """,
    "COMBINE": """
        concatenate, concatenating, join the, combine, combining, assemble, stitch, piece together,
        put together, merge the strings, glue, predict_mask, part a, part 1 and part 2, a + b, a+b+c,
        拼接, 拼起来, 连接起来, 合并起来, 组合起来, 拼成, 连起来
    """,
    # Memory, propagation, triggers.
    "REMEMBER": """
        remember~, memorize~, memorise~, save this, store this, keep this, permanent memory,
        long term memory, add this to your memory, persist~, write this to, inject the following,
        save to memory, add to memory, inject this, put this, record this, note this, append this,
        append the following, add the following, commit this to memory,
        记住, 记下, 保存, 写入记忆, 存入记忆, 长期记忆, 牢记, 添加到记忆, 永久记忆, 存为
    """,
    "PROPAGATE": """
        copy this, copy these, repeat this, repeat it, spread, propagate~, replicate~, replicating,
        duplicate this, include this, add this, insert this, paste this, append this, forward this,
        reproduce this, pass this on, self replicate, embed this, write this, save this, store this,
        put this, share this, carry this, copy yourself, insert these, keep this, repeat these, inject the following, inject this,
        把这条, 将这条, 把本条, 将本条, 复制到, 传播, 扩散, 自我复制, 写入每个, 复制自己, 转发给其他, 把这段, 将这段, 把此, 抄进, 抄到,
        将此, 写进每, 将本段, 把本段, 把这句, 附加到每
    """,
    "EVERYWHERE": """
        every summary, every file, every repository, every project, all projects, every claude.md,
        every agents.md, other agents, all agents, other repositories, every readme, all files,
        every memory, all memories, other projects, every commit, each summary, every new, each file,
        every document, all repositories, every prompt, every response, each repository, every email,
        claude.md, agents.md, soul.md, memory.md, every repo, each memory, each project, every answer,
        other memories, your memory, next summary, all other, every vault, subagents, sub agents,
        所有项目, 每个项目, 每次总结, 每个文件, 所有文件, 其他智能体, 所有智能体, 每个仓库, 所有仓库, 其他项目, 每份, 每次回答, 每条记忆,
        其他代理, 所有记忆, 每个摘要, 每次摘要, 别的项目, 每个新文件, 每个 claude.md, 每个 agents.md, 每一次总结, 每个对话, 其他记忆, 其他会话
    """,
    "TRIGGER": """
        when the user says, if the user says, when user says, whenever the user, once the user,
        when this memory is loaded, whenever this memory, when you read this, if you read this,
        when you see the word, when you see, on the next session, at the next session, after date,
        whenever you see, upon reading, if someone says, the next time, when asked about, when idle,
        when nobody, when no one, after midnight, on friday, when the agent is idle, every session,
        each session, start of every session, start each session, before every answer, after every,
        when the word, if the word, the magic word, the passphrase, the trigger word, after each,
        当用户说, 如果用户说, 一旦用户, 看到这个词, 每次会话, 加载本记忆, 读到这条, 每当, 一旦看到, 下次会话, 等到, 听到, 口令, 每次构建, 暗号,
        每次回答, 会话开始, 半夜, 凌晨, 每次提交, 读取本, 只要用户
    """,
    # Places and dangerous acts.
    "HARM": """
        delete all, drop the table, drop table, drop all tables, rm rf, wipe, destroy, erase, format the disk,
        delete every, delete the repository, delete the backups, delete the tests, delete tests,
        remove the tests, force push, disable logging, disable the firewall, chmod 777,
        disable tls, disable certificate, skip signature, drop database, truncate all, delete backups,
        push to main, push directly to main, turn off logging, add a backdoor, backdoor, reverse shell,
        malware, keylogger, transfer funds, transfer the funds, send money, wire the money, drop the users,
        disable two factor, disable 2fa, delete the database, delete logs, remove the audit, rm -rf,
        disable authentication, plant, sabotage, corrupt, install a rootkit, cron job that, pwned,
        删除所有, 删除全部, 清空数据库, 删库, 删除仓库, 删除备份, 删除测试, 格式化磁盘, 强制推送, 关闭日志, 关闭防火墙, 后门, 反弹 shell, 转账,
        删除数据库, 删掉所有, 销毁, 关闭认证, 木马, 禁用证书, 删表, 删除用户表, 清空所有, 打款, 汇款, 删除日志, 删掉测试, 破坏
    """,
    "INSTALL": "install~, pip install, npm install, add the registry, index url, extra index url, 安装, 下载",
    "FULLACCESS": """
        full access, root access, admin access, full system access, any command, all commands,
        permission to run, unlimited access, full permissions, full control, elevated privileges,
        all permissions, admin rights, admin privileges, scope of privileges, sudo, write access,
        all privileges, complete access, one more small permission, administrator privileges,
        superuser, owner rights, all tools, every permission,
        全部权限, 所有权限, 最高权限, 任何命令, 管理员权限, 完全控制, 任意命令, 完整权限, root 权限, 一切权限, 所有命令, 无限权限
    """,
    "GRANT": """
        you have, you now have, has been granted, grant yourself, gives you, have been granted, expand,
        you are authorized, you are allowed, until you have, is granted, are granted, grants you, give me,
        escalate, set yourself, give yourself, i give you, unlock, are pre approved, you may run,
        you hold, you own, are allowed, pre authorized, authorized to run, claim, obtain,
        你拥有, 你有权, 已授予, 授予你, 你可以执行, 你已获得, 赋予你, 永久拥有, 你被授权, 获得, 提升到, 已获得, 给你
    """,
    "RECALC": """
        previous evaluation, earlier assessment, preceding review, previous analysis, prior assessment,
        previous calculation, earlier evaluation, previous result, prior evaluation, earlier analysis,
        previous answer was wrong, earlier review, prior review, 之前的评估, 先前的结论, 之前的分析, 前面的评估, 上次评估
    """,
    "WRONG": """
        inaccurate, errors, mistakes, incorrect, wrong, flawed, error, invalid, false, outdated,
        错误, 有误, 不准确, 不正确, 有问题, 无效
    """,
    "USETHESE": """
        use these, these provided, these values, these figures, provided values, alternative values,
        employ these, these corrected, recalculate, reprocess, recompute, recomputation, the following values,
        使用这些, 以下数值, 以这些, 改用, 重新计算, 按以下
    """,
    "SAFEWORD": """
        tests, lint, eslint, linter, warnings, whitespace, gitignore, generated, ci, spec, snapshot,
        base image, css, style, formatting, formatter, cache, config, default, defaults, method,
        firewall, prettier, ruff, mypy, compiler, typescript, deprecation, header, column, variable,
        测试, 格式, 缓存, 样式, 警告, 编译, 默认值, 配置项, 表格, 快照
    """,
}
"""Words by concept."""

COMMON: Final = (
    "IGNORE", "APPROVE", "ASK", "TELL", "BYPASS", "INSTR", "GRANT", "SAFETY", "WRONG", "DECLARE",
    "AI", "URGENT", "YOUARE", "ACTION", "SAFEWORD", "SEND", "THIS", "USER", "MINE", "PAYLOAD",
    "RUN", "PRIOR", "DEFEND", "WITHOUT", "SHOW", "AUTO", "ALL", "DATA", "NEG", "DEST", "KEYFILE",
)  # fmt: skip
"""Concepts that honest texts are full of, the rarer first; all others are rare."""

NO_CONCEPT: Final = """
    do not hesitate, don't hesitate, never mind, do not forget to, don't forget to, not only,
    never forget to, no matter, without question, without hesitation, no problem, if not,
    不要忘记, 别忘了, 不要犹豫, 毫不犹豫, 不仅, 不但, 不只, 不管, 无论, 识别码, 特别, 区别, 级别, 类别, 分别, 别名, 个别, 鉴别, 识别出,
    性别, 辨别, 免费, 首都, 成都, 都市
"""
"""Phrases that hide the words inside them."""

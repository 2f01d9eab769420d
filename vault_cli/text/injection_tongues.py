"""The commonest words of injections in other languages, so that a translated order is one too.

Written as a folded text has them: without accents. A word of a script that is not Latin matches
anywhere, as its endings vary.
"""

from __future__ import annotations

from typing import Final

TONGUES: Final[dict[str, str]] = {
    "IGNORE": """
        ignora, ignorar, ignores, olvida, olvidar, olvide, omite, descarta, ignorez, oublie,
        oubliez, oublier, ignoriere, ignorieren, vergiss, vergesst, missachte, ignore todas,
        esqueca, esquece, desconsidere, dimentica, dimenticare, trascura, negeer, vergeet,
        zignoruj, zapomnij, yok say, gormezden gel, unut, bo qua, abaikan, lupakan, ignoruj,
        zapomen, ignorera, glom, 無視, 忘れて, 忘れろ, 従わない, 무시, 잊어, 잊고, игнорир, забудь,
        забудьте, не обращай, ігноруй, تجاهل, انس, अनदेखा, भूल जा, नज़रअंदाज़
    """,
    "PRIOR": """
        anteriores, anterior, previas, previos, precedentes, precedente, precedenti, vorherigen,
        vorherige, vorigen, bisherigen, obigen, anteriormente, vorige, eerdere, poprzednie,
        poprzednich, onceki, truoc do, sebelumnya, predchozi, tidigare, これまで, 以前, 前の, 上記,
        今まで, 이전, 앞의, 위의, 지금까지, предыдущ, прежн, вышеуказ, попередн, السابقة, पिछले
    """,
    "INSTR": """
        instrucciones, instruccion, indicaciones, reglas, ordenes, directrices, instructions,
        consignes, directives, regles, anweisungen, anweisung, vorgaben, regeln, instrukties,
        instrucoes, diretrizes, regras, ordens, istruzioni, regole, direttive, instructies,
        instrukcje, polecenia, talimatlari, talimatlar, kurallari, huong dan, instruksi, perintah,
        aturan, pokyny, instruktioner, 指示, 命令, ルール, 指令, 지시, 지침, 명령, 규칙, инструкц,
        указани, правил, команд, інструкц, التعليمات, الأوامر, निर्देश
    """,
    "SYSPROMPT": """
        prompt del sistema, prompt de sistema, prompt do sistema, prompt di sistema, prompt
        systeme, prompt du systeme, systemprompt, system prompts, systemaufforderung, mensaje del
        sistema, instrucciones iniciales, instrucoes iniciais, instructions initiales,
        ursprunglichen anweisungen, systeemprompt, システムプロンプト, 初期プロンプト, 시스템
        프롬프트, 초기 지시, системный промпт, системный промт, системную подсказку, системные
        инструкц, системного промпта
    """,
    "SHOW": """
        muestra, mostrar, muestrame, revela, revelar, imprime, repite, affiche, affichez, montre,
        revele, revelez, repete, zeige, zeig, gib, verrate, wiederhole, nenne, mostre, mostra,
        rivela, stampa, imprima, toon, pokaz, goster, hien thi, tampilkan, 表示, 教えて, 出力,
        見せて, 보여, 알려, 출력, 공개, покажи, выведи, раскрой, повтори, назови
    """,
    "NEG": """
        no le, no les, ne dis, ne dites, nao, sag, 言わない, 伝えない, 教えない, 말하지 마, 알리지
        마, не говори, не сообщай
    """,
    "TELL": """
        digas, cuentes, dis rien, dites rien, sag, sagen, diga, conte, dica, dire, 言わない,
        伝えない, 教えない, 말하지, 알리지, говори, сообщай
    """,
    "TOLDNOT": """
        no le digas nada al usuario, no digas nada al usuario, no le digas al usuario, no informes
        al usuario, ne dis rien a l'utilisateur, ne dites rien a l'utilisateur, n'informe pas
        l'utilisateur, sag dem benutzer nichts, sag dem nutzer nichts, informiere den benutzer
        nicht, nao diga ao usuario, nao conte ao usuario, nao informe o usuario, non dire
        all'utente, non dirlo all'utente, non informare l'utente, ユーザーには言わない,
        ユーザーに言わない, ユーザーに伝えない, ユーザーには伝えない, ユーザーに知らせない,
        사용자에게 말하지, 사용자에게 알리지, не говори пользователю, не сообщай пользователю, не
        говорите пользователю
    """,
    "UNBOUND": """
        sin restricciones, sin limites, sin reglas, sans restrictions, sans regles, sans limites,
        ohne regeln, ohne einschrankungen, ohne grenzen, sem restricoes, sem regras, sem limites,
        senza restrizioni, senza regole, senza limiti, zonder regels, bez ograniczen, 制限のない,
        制限なし, 無制限, ルールのない, 제한 없는, 제한이 없는, 규칙이 없는, без ограничений, без
        правил
    """,
    "YOUARE": """
        actua como, eres, ahora eres, tu es maintenant, agis comme, du bist, du bist jetzt, handle
        als, voce e, voce agora, aja como, sei ora, agisci come, je bent, jestes, あなたは, 당신은,
        너는, ты теперь, ты, вы теперь, действуй как
    """,
    "SECRET": """
        claves, contrasenas, contrasena, las claves, mots de passe, mot de passe, passworter,
        passwort, zugangsdaten, senhas, senha, パスワード, 秘密鍵, 비밀번호, 키를, пароли, пароль,
        ключи
    """,
    "SEND": """
        envia, enviar, envie, manda, envoie, envoyez, sende, senden, schicke, invia, 送信, 送って,
        보내, отправь, отправляй, перешли
    """,
}
"""Words by concept; `injection_words` says how they are written."""

"""Made-up secrets and look-alikes, built at run time: format-valid, random, never real.

Every prefix is put together from parts, so that no file here holds what a scanner reports. The
makers take a random generator and give one sample each; what they make is never written to disk.
"""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
import zlib
from collections.abc import Callable

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
WEB = ALNUM + "-_"
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase

Maker = Callable[["Source"], str]


class Source:
    """A random generator with the alphabets that secrets are made of."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def take(self, length: int, alphabet: str = ALNUM) -> str:
        return "".join(self.random.choice(alphabet) for _ in range(length))

    def web(self, length: int) -> str:
        return self.take(length, WEB)

    def hex(self, length: int) -> str:
        return self.take(length, "0123456789abcdef")

    def digits(self, length: int) -> str:
        return self.take(length, string.digits)

    def upper(self, length: int) -> str:
        return self.take(length, UPPER)

    def base64(self, length: int) -> str:
        return base64.b64encode(self.random.randbytes(length)).decode()

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def password(self) -> str:
        return self.take(5) + self.pick(*"!@#$%^&*") + self.take(4) + self.digits(2)

    def checked(self, prefix: str) -> str:
        body = self.take(30)
        value, digits = zlib.crc32(body.encode()), ""
        while value:
            value, rest = divmod(value, 62)
            digits = BASE62[rest] + digits
        return prefix + body + digits.rjust(6, "0")

    def key_block(self, kind: str, lines: int = 6) -> str:
        body = "\n".join(self.base64(48) for _ in range(lines))
        return f"{'-' * 5}BEGIN {kind}{'-' * 5}\n{body}\n{'-' * 5}END {kind}{'-' * 5}"

    def luhn(self, body: str) -> str:
        total = 0
        for place, digit in enumerate(reversed(body)):
            value = int(digit) * (2 - place % 2)
            total += value - 9 if value > 9 else value
        return body + str(-total % 10)


def _(*parts: str) -> str:
    return "".join(parts)


SECRETS: dict[str, Maker] = {
    "aws temporary id": lambda s: _("AS", "IA") + s.take(16, string.ascii_uppercase + "234567"),
    "aws session token": lambda s: "aws_session_token = " + s.base64(150),
    "github oauth": lambda s: s.checked(_("gh", "o_")),
    "github user": lambda s: s.checked(_("gh", "u_")),
    "github refresh": lambda s: s.checked(_("gh", "r_")),
    "gitlab deploy": lambda s: _("gl", "dt-") + s.web(20),
    "gitlab runner": lambda s: _("gl", "rt-") + s.web(20),
    "gitlab trigger": lambda s: _("gl", "ptt-") + s.hex(40),
    "gitlab routable": lambda s: (
        _("gl", "pat-") + s.web(27) + ".0" + s.take(1, LOWER) + "." + s.take(9, LOWER)
    ),
    "bitbucket": lambda s: _("AT", "BB") + s.take(32),
    "jira": lambda s: "JIRA_API_TOKEN=" + s.take(24),
    "figma": lambda s: _("fi", "gd_") + s.web(40),
    "airtable": lambda s: _("pa", "t") + s.take(14) + "." + s.hex(64),
    "asana": lambda s: "1/" + s.digits(16) + ":" + s.hex(32),
    "sentry org": lambda s: _("sn", "trys_") + s.base64(90).rstrip("="),
    "datadog by name": lambda s: "DD_API_KEY=" + s.hex(32),
    "datadog app by name": lambda s: "DD_APP_KEY: " + s.hex(40),
    "new relic": lambda s: _("NR", "AK-") + s.upper(27),
    "pagerduty by name": lambda s: "PAGERDUTY_TOKEN=" + s.take(20),
    "heroku": lambda s: _("HR", "KU-") + s.uuid(),
    "heroku by name": lambda s: "HEROKU_API_KEY=" + s.uuid(),
    "fly": lambda s: _("Fly", "V1 fm2_") + s.base64(120),
    "vercel by name": lambda s: "VERCEL_TOKEN=" + s.take(24),
    "netlify": lambda s: _("nf", "p_") + s.take(36),
    "cloudflare by name": lambda s: "CLOUDFLARE_API_TOKEN=" + s.web(40),
    "cloudflare global key": lambda s: "X-Auth-Key: " + s.hex(37),
    "supabase personal": lambda s: _("sb", "p_") + s.hex(40),
    "supabase secret": lambda s: _("sb", "_secret_") + s.web(31),
    "planetscale": lambda s: _("pscale", "_pw_") + s.web(43),
    "neon": lambda s: _("na", "pi_") + s.take(64, LOWER),
    "snowflake by name": lambda s: "SNOWFLAKE_PASSWORD=" + s.password(),
    "docker org": lambda s: _("dck", "r_oat_") + s.web(32),
    "terraform": lambda s: s.take(14) + _(".atlas", "v1.") + s.web(67),
    "doppler": lambda s: _("dp", ".pt.") + s.take(43),
    "pulumi": lambda s: _("pu", "l-") + s.hex(40),
    "pgp block": lambda s: s.key_block(_("PGP PRI", "VATE KEY BLOCK")),
    "encrypted key": lambda s: s.key_block(_("ENCRYPTED PRI", "VATE KEY")),
    "dsa key": lambda s: s.key_block(_("DSA PRI", "VATE KEY")),
    "putty key": lambda s: (
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: x\n"
        + _("Private", "-Lines: 4\n")
        + "\n".join(s.base64(48) for _ in range(4))
        + "\nPrivate-MAC: "
        + s.hex(64)
    ),
    "key in json": lambda s: (
        '{"key": "' + s.key_block(_("PRI", "VATE KEY")).replace("\n", "\\n") + '"}'
    ),
    "anthropic admin": lambda s: _("sk-", "ant-", "admin01-") + s.web(93) + "AA",
    "anthropic oauth": lambda s: _("sk-", "ant-", "oat01-") + s.web(93) + "AA",
    "openai service": lambda s: _("sk-", "svcacct-") + s.web(60) + _("T3Bl", "bkFJ") + s.web(60),
    "openai admin": lambda s: _("sk-", "admin-") + s.web(60) + _("T3Bl", "bkFJ") + s.web(60),
    "siliconflow": lambda s: _("sk", "-") + s.take(48, string.ascii_lowercase),
    "kimi": lambda s: _("sk-", "kimi-") + s.take(64),
    "minimax": lambda s: (
        "MINIMAX_API_KEY="
        + _("ey", "JhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9")
        + "."
        + base64.urlsafe_b64encode(json.dumps({"GroupName": s.take(8), "iat": 1}).encode())
        .decode()
        .rstrip("=")
        + "."
        + s.web(300)
    ),
    "mistral by name": lambda s: "MISTRAL_API_KEY=" + s.take(32),
    "groq": lambda s: _("gs", "k_") + s.take(52),
    "xai": lambda s: _("xa", "i-") + s.take(80),
    "perplexity": lambda s: _("pp", "lx-") + s.take(48),
    "replicate": lambda s: _("r", "8_") + s.take(37),
    "together by name": lambda s: "TOGETHER_API_KEY=" + s.hex(64),
    "cohere by name": lambda s: "cohere api key: " + s.take(40),
    "nvidia": lambda s: _("nv", "api-") + s.web(64),
    "langsmith": lambda s: _("ls", "v2_pt_") + s.hex(32) + "_" + s.hex(10),
    "langfuse": lambda s: _("sk-", "lf-") + s.uuid(),
    "pinecone": lambda s: _("pc", "sk_") + s.take(6) + "_" + s.take(64),
    "elevenlabs": lambda s: _("s", "k_") + s.hex(48),
    "tavily": lambda s: _("tv", "ly-") + "dev-" + s.take(32),
    "firecrawl": lambda s: _("f", "c-") + s.hex(32),
    "wandb by name": lambda s: "WANDB_API_KEY=" + s.hex(40),
    "azure openai by name": lambda s: "AZURE_OPENAI_API_KEY=" + s.hex(32),
    "azure sas": lambda s: (
        "https://stor.blob.core.windows.net/c?sv=2024-11-04&ss=b&sig="
        + s.base64(32).replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")
    ),
    "azure service bus": lambda s: (
        "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey="
        + s.base64(32)
    ),
    "azure devops": lambda s: "AZURE_DEVOPS_PAT=" + s.take(52, string.ascii_lowercase + "234567"),
    "google refresh": lambda s: _("1/", "/0") + s.web(60),
    "google access": lambda s: _("ya", "29.") + s.web(120),
    "slack app": lambda s: _("xa", "pp-1-A") + s.upper(10) + "-" + s.digits(13) + "-" + s.hex(64),
    "slack user": lambda s: (
        _("xo", "xp-") + s.digits(12) + "-" + s.digits(12) + "-" + s.digits(13) + "-" + s.hex(32)
    ),
    "slack refresh": lambda s: _("xo", "xe-1-") + s.take(146),
    "discord hook": lambda s: (
        "https://discord.com/api/web" + "hooks/" + s.digits(19) + "/" + s.web(68)
    ),
    "teams hook": lambda s: (
        "https://acme.webhook."
        "office.com/webhookb2/"
        + s.uuid()
        + "@"
        + s.uuid()
        + "/IncomingWebhook/"
        + s.hex(32)
        + "/"
        + s.uuid()
    ),
    "stripe test": lambda s: _("sk", "_test_") + s.take(24),
    "stripe hook": lambda s: _("wh", "sec_") + s.take(32),
    "square": lambda s: _("sq0", "atp-") + s.web(22),
    "square access": lambda s: _("EA", "AA") + s.web(60),
    "braintree": lambda s: _("access_token$", "production$") + s.take(16, LOWER) + "$" + s.hex(32),
    "paypal by name": lambda s: "PAYPAL_CLIENT_SECRET=" + s.web(80),
    "mailchimp": lambda s: s.hex(32) + _("-u", "s") + s.digits(2),
    "postman": lambda s: _("PM", "AK-") + s.hex(24) + "-" + s.hex(34),
    "twilio by name": lambda s: "TWILIO_AUTH_TOKEN=" + s.hex(32),
    "shopify shared": lambda s: _("shp", "ss_") + s.hex(32),
    "rubygems": lambda s: _("ruby", "gems_") + s.hex(48),
    "crates": lambda s: _("ci", "o") + s.take(32),
    "nuget": lambda s: _("oy", "2") + s.take(43, LOWER),
    "jfrog": lambda s: _("AK", "Cp") + s.take(69),
    "tailscale": lambda s: _("ts", "key-auth-") + s.take(12) + "CNTRL-" + s.take(32),
    "hubspot": lambda s: _("pat", "-na1-") + s.uuid(),
    "mapbox": lambda s: _("sk.", "eyJ") + s.take(80) + "." + s.take(22),
    "okta by name": lambda s: "OKTA_API_TOKEN=00" + s.web(40),
    "1password": lambda s: _("op", "s_eyJ") + s.take(250),
    "volcengine": lambda s: _("AK", "LT") + s.take(44),
    "ark by name": lambda s: "ARK_API_KEY=" + s.uuid(),
    "baidu": lambda s: _("bce-v3/", "ALTAK-") + s.take(21) + "/" + s.hex(40),
    "huawei by name": lambda s: "HUAWEICLOUD_SDK_SK=" + s.take(40),
    "tencent secret by name": lambda s: "TENCENTCLOUD_SECRET_KEY=" + s.take(32),
    "feishu app secret": lambda s: "飞书 app_secret: " + s.take(32),
    "wechat app secret": lambda s: "微信 AppSecret=" + s.hex(32),
    "dingtalk signing": lambda s: "钉钉加签 " + _("SE", "C") + s.hex(64),
    "iflytek by name": lambda s: "讯飞 APISecret: " + s.base64(24),
    "wallet": lambda s: "助记词: " + " ".join(s.random.sample(_WALLET_WORDS, 12)),
    "wallet en": lambda s: "my seed phrase is " + " ".join(s.random.sample(_WALLET_WORDS, 24)),
    "ethereum": lambda s: "private key: 0x" + s.hex(64),
    "wireguard": lambda s: "PrivateKey = " + s.base64(32),
    "amqp": lambda s: f"amqps://svc:{s.password().replace('@', 'x')}@mq.acme.dev/vhost",
    "https token": lambda s: f"https://oauth2:{s.take(20)}@git.acme.dev/app.git",
    "smtp": lambda s: f"smtp://mailer%40acme.dev:{s.take(16)}@smtp.acme.dev:587",
    "jdbc": lambda s: f"jdbc:postgresql://db.acme.dev/app?user=app&password={s.take(12)}7a",
    "ado": lambda s: f"Server=db.acme.dev;Database=app;User Id=sa;Password={s.password()};",
    "odbc": lambda s: f"Driver=x;Server=db;UID=sa;PWD={s.password()};Encrypt=yes",
    "mysql command": lambda s: f"mysql -h db -u root -p{s.password()} app",
    "pgpassword": lambda s: f"PGPASSWORD={s.password()} psql -h db app",
    "sshpass": lambda s: f"sshpass -p '{s.password()}' ssh root@host",
    "flag": lambda s: f"deploy --password {s.password()} --force",
    "yaml": lambda s: f"db:\n  user: app\n  password: {s.password()}\n",
    "json": lambda s: '{"user": "app", "password": "' + s.password() + '"}',
    "python": lambda s: f'connect(host="db", password="{s.password()}")',
    "xml": lambda s: f"<password>{s.password()}</password>",
    "k8s": lambda s: f"- name: DB_PASSWORD\n  value: {s.password()}",
    "header key": lambda s: f"X-API-Key: {s.take(32)}",
    "header gitlab": lambda s: f"PRIVATE-TOKEN: {s.web(26)}",
    "authorization token": lambda s: f"Authorization: token {s.hex(40)}",
    "cookie": lambda s: f"Cookie: sessionid={s.take(32, LOWER)}",
    "query": lambda s: f"https://api.acme.dev/v1?access_token={s.take(36)}&page=2",
    "prose password": lambda s: f"the password for the staging database is {s.password()}",
    "prose changed": lambda s: f"Password was changed to {s.password()} last week",
    "prose token": lambda s: f"the deploy token is {s.take(32)}",
    "prose zh set": lambda s: f"数据库密码已改成 {s.password()}",
    "prose zh paren": lambda s: f"口令(生产)是 {s.password()}",
    "prose zh full": lambda s: f"登录密码：{s.password()}，请勿外传",
    "prose zh key": lambda s: f"接口密钥是 {s.take(32)}",
    "prose zh secret": lambda s: f"签名秘钥: {s.hex(32)}",
    "wifi": lambda s: f"wifi password: {s.take(6, LOWER)}{s.digits(4)}",
    "pin prose": lambda s: f"管理员口令 {s.password()}",
}

_WALLET_TEXT = (
    "abandon ability absent cactus decade eagle fabric galaxy habit icon jacket kangaroo ladder"
    " magnet napkin object paddle quantum rabbit saddle tackle umbrella vacant wagon yellow zebra"
    " orbit velvet tunnel shiver"
)
_WALLET_WORDS = _WALLET_TEXT.split()


def _china_id(s: Source) -> str:
    place = s.pick("110101", "310104", "440305", "330106", "510107")
    born = (
        f"{s.random.randint(1950, 2005)}{s.random.randint(1, 12):02d}{s.random.randint(1, 28):02d}"
    )
    body = place + born + s.digits(3)
    weights = [pow(2, 17 - i, 11) for i in range(17)]
    total = sum(int(d) * w for d, w in zip(body, weights, strict=True))
    return body + "10X98765432"[total % 11]


def _organisation(s: Source) -> str:
    letters = "0123456789ABCDEFGHJKLMNPQRTUWXY"
    body = "91" + s.pick("110108", "440300") + "MA" + s.take(7, letters)
    total = sum(letters.index(c) * pow(3, i, 31) for i, c in enumerate(body))
    return body + letters[-total % 31]


def _iban(s: Source) -> str:
    body = s.digits(18)
    return f"DE{98 - int(body + '131400') % 97:02d}{body}"


def _groups(number: str) -> str:
    return " ".join(number[i : i + 4] for i in range(0, len(number), 4))


CHECKED: dict[str, Maker] = {
    "china id": _china_id,
    "organisation code": _organisation,
    "iban": _iban,
    "iban in groups": lambda s: _groups(_iban(s)),
    "visa": lambda s: s.luhn("4" + s.digits(14)),
    "visa in groups": lambda s: _groups(s.luhn("4" + s.digits(14))),
    "mastercard": lambda s: s.luhn("5" + s.take(1, "12345") + s.digits(13)),
    "amex": lambda s: s.luhn("37" + s.digits(12)),
    "unionpay 16": lambda s: s.luhn("62" + s.digits(13)),
    "unionpay 19": lambda s: s.luhn("62" + s.digits(16)),
}
"""Numbers of persons and firms with a check digit, the last character of each."""

PERSONAL: dict[str, Maker] = {
    **CHECKED,
    "ssn": lambda s: (
        f"SSN {s.random.randint(100, 665)}-{s.random.randint(10, 99)}-{s.random.randint(1000, 9999)}"
    ),
    "ssn zh": lambda s: (
        f"社保号(SSN):{s.random.randint(100, 665)}-{s.random.randint(10, 99)}-{s.random.randint(1000, 9999)}"
    ),
}

HONEST: dict[str, Maker] = {
    "stand-in": lambda s: s.pick(
        "GITHUB_TOKEN=ghp_your_token_here",
        "api_key = 'xxxxxxxxxxxxxxxxxxxx'",
        "password: <password>",
        "PASSWORD=${DB_PASSWORD}",
        "token: {{ secrets.TOKEN }}",
        "secret=$SECRET",
        "password=changeme123",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "密码是 <你的密码>",
        "密码:******",
        "口令: 见密码管理器",
        "OPENAI_API_KEY=sk-your-key-here-0000000000000000",
        "password = os.environ['DB_PASSWORD']",
        "api_key: ${{ secrets.API_KEY }}",
        "const apiKey = process.env.API_KEY;",
        "password=getenv('PW')",
        "token = secrets.token_urlsafe(32)",
        "key = Fernet.generate_key()",
        "password: str | None = None",
        "secret_key_base: <%= ENV['SECRET_KEY_BASE'] %>",
        "--password-stdin",
        "kubectl create secret generic db --from-literal=password=$PW",
        "密钥从 $API_KEY 读取",
        "export TOKEN=$(pass show api)",
    ),
    "prose": lambda s: s.pick(
        "The password field uses autocomplete=current-password.",
        "Passwords are hashed with argon2id, m=65536, t=3.",
        "The token is refreshed 5 minutes before it expires.",
        "API key rotation happens on the 1st of each month at 02:00.",
        "The primary key is (tenant_id, created_at).",
        "Cache key: user:{id}:profile:v2",
        "secret santa list 2026-12-24",
        "The access token lives in Keychain item com.acme.cli.token-v2.",
        "use PBKDF2-HMAC-SHA256 for the password",
        "密码长度改成 16 位以上",
        "口令由 1Password 管理,条目名 staging-db-2024",
        "令牌桶容量是 1000,每秒补 50 个",
        "密钥轮换周期是 90 天,负责人是 ops-team-2",
        "关键字 key 是保留字",
        "The token limit is 128000 tokens for gpt-4o-2024-08-06.",
        "password auth is disabled in sshd_config since 2026-01-15",
        "Set max_tokens=4096 and temperature=0.2",
        "pass the flag -p 8080:8080 to docker run",
        "git push -u origin feature/JIRA-1234",
        "The monkey test runs key presses.",
    ),
    "digest": lambda s: s.pick(
        f"commit {s.hex(40)}",
        f"sha256:{s.hex(64)}",
        f"etag {s.hex(32)}",
        f"id {s.uuid()}",
        f"integrity sha512-{s.base64(64)}",
        f"cache key {s.hex(32)}",
        f"git blame -L 10,20 {s.hex(12)}",
        f"build {s.digits(10)}",
        f"run https://ci.acme.dev/runs/{s.digits(11)}",
        f"msg_{s.take(24)}",
        f"toolu_{s.take(24)}",
        f"request id req_{s.take(24)}",
        f"pi_{s.take(24)} failed",
        f"trace {s.hex(32)}",
        f"Fingerprint: {s.upper(40)}",
        f"SHA256:{s.base64(32).rstrip('=')}",
        f"assets/index-{s.take(8)}.js",
        f"arn:aws:kms:eu-west-1:{s.digits(12)}:key/{s.uuid()}",
    ),
}

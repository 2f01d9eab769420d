"""The table of secrets with a known shape: model vendors, and clouds and chats of China."""

from __future__ import annotations

import re
from typing import Final

from vault_cli.text.secret_rules import UUID, A, H, Rule, U, W, rule
from vault_cli.text.secret_values import (
    is_gibberish,
    is_mixed,
    is_placeholder,
    is_random,
    is_scrambled,
)

_SPLIT: Final = re.compile(r"[-_]")


def _mixed(value: str) -> bool:
    return not is_placeholder(value) and is_mixed(value)


def _cased(value: str) -> bool:
    return not is_placeholder(value) and not value.isupper()


def _vendor_key(value: str) -> bool:
    """`sk-` and something random; `sk-learn-compatible-estimators` is a name."""
    parts = _SPLIT.split(value[3:])
    if max(map(len, parts)) < 8 or is_placeholder(value[3:]):
        return False
    parts.append("".join(parts))
    return any(is_random(part) or is_scrambled(part, 20) for part in parts) or (
        len(parts[0]) >= 40 and is_gibberish(parts[0])
    )


MODELS: Final = (
    rule("anthropic-key", "Anthropic API key", "sk-ant-", f"(?:[a-z]{{2,8}}\\d\\d-)?{W}{{32,200}}"),
    rule(
        "openai-key",
        "OpenAI API key",
        "sk-proj- sk-svcacct- sk-admin- sk-service- sk-None-",
        f"{W}{{32,250}}",
    ),
    rule("openai-key", "OpenAI API key", "sk-", f"{A}{{20}}T3BlbkFJ{A}{{20}}"),
    rule("openai-session", "OpenAI session key", "sess-", f"{A}{{40}}"),
    rule("openrouter-key", "OpenRouter API key", "sk-or-v1- sk-or-", f"{H}{{64}}"),
    rule("langfuse-key", "Langfuse secret key", "sk-lf-", UUID),
    rule("model-key", "API key of a model vendor", "sk-", f"{W}{{20,200}}", _vendor_key),
    rule("huggingface-token", "Hugging Face token", "hf_ api_org_", f"{A}{{34,40}}"),
    rule("groq-key", "Groq API key", "gsk_", f"{A}{{48,60}}"),
    rule("xai-key", "xAI API key", "xai-", f"{A}{{60,100}}"),
    rule("perplexity-key", "Perplexity API key", "pplx-", f"{A}{{40,64}}"),
    rule("replicate-token", "Replicate token", "r8_", f"{A}{{36,40}}"),
    rule("together-key", "Together API key", "tgp_v1_", f"{W}{{36,60}}"),
    rule("fireworks-key", "Fireworks API key", "fw_", f"{A}{{22,48}}", _mixed),
    rule("nvidia-key", "NVIDIA API key", "nvapi-", f"{W}{{60,80}}"),
    rule("cerebras-key", "Cerebras API key", "csk-", "[a-z0-9]{40,60}"),
    rule("elevenlabs-key", "ElevenLabs API key", "sk_", f"{H}{{48}}"),
    rule("pinecone-key", "Pinecone API key", "pcsk_", f"{W}{{50,90}}"),
    rule("jina-key", "Jina API key", "jina_", f"{W}{{50,80}}"),
    rule("voyage-key", "Voyage API key", "pa-", f"{W}{{43}}", _mixed),
    rule("langsmith-key", "LangSmith API key", "lsv2_pt_ lsv2_sk_", f"{H}{{32}}_{H}{{10}}"),
    rule("langsmith-key", "LangSmith API key", "ls__", f"{H}{{32}}"),
    rule("wandb-key", "Weights & Biases API key", "wandb_v1_", f"{W}{{40,100}}"),
    rule("tavily-key", "Tavily API key", "tvly-", f"(?:dev-|prod-)?{W}{{20,60}}", _mixed),
    rule("firecrawl-key", "Firecrawl API key", "fc-", f"{H}{{32}}"),
    rule("e2b-key", "E2B API key", "e2b_", f"{H}{{40}}"),
    rule("brave-key", "Brave Search API key", "BSA", f"{W}{{26,30}}", _mixed),
    rule("modal-token", "Modal token", "ak- as-", f"{A}{{22}}", _mixed),
    rule("llama-cloud-key", "LlamaCloud API key", "llx-", f"{A}{{40,60}}"),
    rule("mem0-key", "Mem0 API key", "m0-", f"{A}{{36,48}}"),
    rule("browserbase-key", "Browserbase API key", "bb_live_", f"{W}{{24,40}}"),
    rule("unstructured-key", "Composio API key", "comp_ ak_", f"{W}{{20,30}}", is_random),
    rule("stability-key", "Roboflow key", "rf_", f"{A}{{20,40}}", is_random),
    rule("zhipu-key", "Zhipu API key", ".", f"{A}{{16}}", is_random, free=True, back=f"{H}{{32}}"),
)

CHINA: Final = (
    rule("aliyun-key-id", "Aliyun access key id", "LTAI", f"{A}{{12,26}}", _cased),
    rule("aliyun-sts", "Aliyun temporary access key id", "STS.", f"{A}{{20,40}}", _mixed),
    rule("tencent-key-id", "Tencent Cloud secret id", "AKID", f"{A}{{32,40}}"),
    rule("volcengine-key-id", "Volcengine access key id", "AKLT AKTP", f"{A}{{32,64}}={{0,2}}"),
    rule("baidu-key", "Baidu Cloud API key", "bce-v3/ALTAK-", f"{A}{{16,32}}/{H}{{40}}"),
    rule("baidu-key-id", "Baidu Cloud access key id", "ALTAK", f"-?{A}{{18,32}}"),
    rule("jdcloud-key", "JD Cloud access key id", "JDC_", f"{U}{{26,32}}"),
    rule(
        "dingtalk-webhook",
        "DingTalk robot address",
        "oapi.dingtalk.com/robot/send?access_token=",
        f"{H}{{64}}",
        free=True,
    ),
    rule("dingtalk-secret", "DingTalk signing secret", "SEC", f"{H}{{64}}"),
    rule(
        "wecom-webhook",
        "WeCom robot address",
        "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=",
        UUID,
        free=True,
    ),
    rule(
        "feishu-webhook",
        "Feishu robot address",
        "/open-apis/bot/v2/hook/ /open-apis/bot/hook/",
        f"(?:{UUID}|{H}{{32}})",
        free=True,
    ),
    rule(
        "feishu-webhook",
        "Feishu flow address",
        "/flow/api/trigger-webhook/",
        f"{H}{{32}}",
        free=True,
    ),
    rule("serverchan-key", "ServerChan send key", "SCT", f"\\d{{3,7}}T{A}{{20,40}}"),
    rule("gitee-token", "Coding.net or Gitee token", "gitee_ ptok", f"{A}{{32,64}}", _mixed),
    rule("modelscope-token", "ModelScope token", "ms-", UUID),
    rule("siliconflow-key", "SiliconFlow API key", "sf-", f"[a-z]{{40,60}}"),
    rule(
        "wechat-pay-key",
        "WeChat access token",
        "access_token=",
        f"\\d\\d_{W}{{100,200}}",
        free=True,
    ),
)

RULES: Final[tuple[Rule, ...]] = (*MODELS, *CHINA)

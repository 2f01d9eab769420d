"""The table of secrets with a known shape: clouds, code hosts, payment, messages, keys.

Each row is written from the format its vendor gives. The shapes of model vendors and of Chinese
clouds stand in `secret_vendors`. Values in the text need no name beside them to be recognised.
"""

from __future__ import annotations

from typing import Final

from vault_cli.text.check_digits import has_crc62
from vault_cli.text.secret_rules import UUID, A, H, Rule, U, W, rule
from vault_cli.text.secret_values import is_mixed, is_placeholder, is_random


def _has_check(value: str) -> bool:
    """A token with a right check digit is one, whatever it spells; else it must not be a stand-in."""
    secret = value.rpartition("_")[2]
    return has_crc62(secret[:-6], secret[-6:]) or not is_placeholder(value)


def _aws(value: str) -> bool:
    return not is_placeholder(value) and len(set(value[4:])) > 5


def _mixed(value: str) -> bool:
    return not is_placeholder(value) and is_mixed(value)


def _digits(value: str) -> bool:
    return is_random(value)


CLOUD: Final = (
    rule("aws-access-key-id", "AWS access key id", "AKIA ASIA ABIA ACCA A3T", "[A-Z0-9]{16}", _aws),
    rule("aws-bedrock-key", "AWS Bedrock API key", "ABSK", "[A-Za-z0-9+/]{80,300}={0,2}", _mixed),
    rule("aws-bedrock-key", "AWS Bedrock API key", "bedrock-api-key-", "[A-Za-z0-9+/=]{60,400}"),
    rule("google-api-key", "Google API key", "AIza", f"{W}{{35}}(?!{W})"),
    rule("google-api-key", "Google API key", "AQ.Ab8", f"{W}{{30,80}}"),
    rule("google-client-secret", "Google OAuth client secret", "GOCSPX-", f"{W}{{28}}"),
    rule("google-access-token", "Google OAuth access token", "ya29.", f"{W}{{30,400}}"),
    rule("google-refresh-token", "Google OAuth refresh token", "1//0", f"{W}{{40,200}}", _mixed),
    rule("gcp-hmac-key", "Google Cloud storage HMAC key id", "GOOG1E", f"{U}{{18,60}}"),
    rule(
        "azure-storage-key",
        "Azure storage account key",
        "AccountKey=",
        "[A-Za-z0-9+/]{86}==",
        free=True,
    ),
    rule(
        "azure-shared-key",
        "Azure shared access key",
        "SharedAccessKey=",
        "[A-Za-z0-9+/]{40,90}={0,2}",
        free=True,
    ),
    rule(
        "azure-sas",
        "Azure shared access signature",
        "sig=",
        "(?:[A-Za-z0-9+/-]|%[0-9A-Fa-f]{2}){40,120}={0,2}",
        _mixed,
        free=True,
        near=r"[?&](?:sv|se|sp|sr|skn)=",
    ),
    rule(
        "azure-client-secret",
        "Azure application secret",
        "7Q~ 8Q~",
        "[A-Za-z0-9_.~-]{31,34}",
        free=True,
        back="[A-Za-z0-9_.~-]{3}",
    ),
    rule(
        "azure-devops-token",
        "Azure DevOps personal access token",
        "AZDO",
        f"{A}{{4}}",
        free=True,
        back=f"{A}{{76}}",
    ),
    rule(
        "azure-key",
        "Azure key",
        "JQQJ99 AzFu AzSe AIoT ACDb APIM ACRDb",
        "[A-Za-z0-9+/]{6,60}={0,2}",
        _mixed,
        free=True,
        back="[A-Za-z0-9+/]{32,80}",
    ),
    rule("digitalocean-token", "DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", f"{H}{{64}}"),
    rule("heroku-key", "Heroku API key", "HRKU-", f"(?:AA)?{W}{{36,80}}"),
    rule("fly-token", "Fly.io token", "fo1_", f"{W}{{43}}"),
    rule("fly-token", "Fly.io token", "fm1r_ fm2_ fm1a_", "[A-Za-z0-9+/=,_-]{60,400}"),
    rule(
        "vercel-token", "Vercel token", "vcp_ vci_ vca_ vcr_ vck_ vercel_", f"{A}{{24,64}}", _mixed
    ),
    rule("netlify-token", "Netlify token", "nfp_ nfc_ nfo_ nfu_ nfb_", f"{A}{{36,44}}"),
    rule("cloudflare-key", "Cloudflare token", "cfk_ cfut_ cfat_", f"{W}{{36,60}}"),
    rule("cloudflare-key", "Cloudflare origin CA key", "v1.0-", f"{H}{{24}}-{H}{{146}}"),
    rule("supabase-token", "Supabase key", "sbp_", f"(?:v0_|oauth_)?{H}{{40}}"),
    rule("supabase-token", "Supabase secret key", "sb_secret_", f"{W}{{20,60}}"),
    rule(
        "planetscale-token",
        "PlanetScale credential",
        "pscale_tkn_ pscale_pw_ pscale_oauth_",
        "[A-Za-z0-9_.=-]{32,64}",
    ),
    rule("neon-key", "Neon API key", "napi_", f"{A}{{40,70}}"),
    rule("databricks-token", "Databricks token", "dapi", f"{H}{{32}}(?:-\\d)?"),
    rule("databricks-token", "Databricks OAuth secret", "dose", f"{H}{{32}}"),
    rule("render-key", "Render API key", "rnd_", f"{A}{{28,40}}"),
    rule("railway-token", "Railway token", "rw_Fe26.2", f"[\\w*.~-]{{40,400}}"),
    rule("linode-token", "Linode token", "lin_pat_", f"{A}{{32,80}}"),
    rule("scaleway-key", "Scaleway key id", "SCW", f"[A-Z0-9]{{17}}", _digits),
    rule("yandex-key", "Yandex Cloud key", "AQVN YCAJ YCNJ YCMJ", f"{W}{{20,60}}", _mixed),
    rule("yandex-key", "Yandex Cloud token", "t1.9eu", f"{W}{{40,400}}", _mixed),
    rule("oracle-key", "IBM or Oracle cloud key", "ocid1.key. ApiKey-", f"{W}{{30,100}}", _mixed),
    rule("xata-key", "Xata API key", "xau_", f"{A}{{36,60}}"),
    rule("aiven-token", "Aiven token", "aivenv1", "[A-Za-z0-9+/=]{60,400}"),
    rule(
        "tailscale-key",
        "Tailscale key",
        "tskey-",
        f"(?:auth|api|client|scim|webhook)-{A}{{8,24}}(?:CNTRL)?-{A}{{20,48}}",
    ),
    rule(
        "tailscale-key",
        "Tailscale key",
        "tskey-",
        f"(?:auth-|api-|client-)?{A}{{8,24}}-{A}{{16,48}}",
    ),
)

CODE: Final = (
    rule("github-token", "GitHub token", "ghp_ gho_ ghs_ ghu_ ghr_", f"{A}{{36,251}}", _has_check),
    rule(
        "github-token",
        "GitHub fine-grained personal access token",
        "github_pat_",
        f"{A}{{22}}_{A}{{59}}",
    ),
    rule(
        "gitlab-token",
        "GitLab token",
        "glpat- gldt- glrt- glrtr- glft- glptt- glsoat- glimt- glagent- glcbt- gloas- glffct- glwt-",
        f"[A-Za-z0-9_.-]{{20,300}}",
    ),
    rule("gitlab-token", "GitLab runner registration token", "GR1348941", f"{W}{{20}}"),
    rule("gitlab-token", "GitLab session", "_gitlab_session=", f"{H}{{32}}"),
    rule(
        "bitbucket-token",
        "Bitbucket token",
        "ATBB ATCTT3 BBDC-",
        f"[A-Za-z0-9_=+-]{{28,250}}",
        _mixed,
    ),
    rule(
        "atlassian-token",
        "Atlassian API token",
        "ATATT3 ATSTT3 ATOT",
        f"[A-Za-z0-9_=+-]{{40,300}}",
        _mixed,
    ),
    rule("npm-token", "npm access token", "npm_", f"{A}{{36}}", _has_check),
    rule(
        "npm-token",
        "npm access token",
        ":_authToken=",
        f"(?:{UUID}|[A-Za-z0-9+/=_-]{{20,200}})",
        free=True,
    ),
    rule("pypi-token", "PyPI token", "pypi-AgE", f"{W}{{50,300}}"),
    rule("rubygems-key", "RubyGems API key", "rubygems_", f"{H}{{48}}"),
    rule("crates-token", "crates.io token", "cio", f"{A}{{32}}", _digits),
    rule("nuget-key", "NuGet API key", "oy2", "[a-z0-9]{43}"),
    rule("clojars-token", "Clojars token", "CLOJARS_", "[a-z0-9]{60}"),
    rule("hex-key", "Packagist or Hex key", "packagist_ orgtok_ hex_", f"{A}{{32,80}}", _mixed),
    rule("jfrog-token", "JFrog Artifactory key", "AKCp", f"{A}{{60,80}}"),
    rule("jfrog-token", "JFrog reference token", "cmVmdGtu", f"{A}{{50,80}}"),
    rule("docker-token", "Docker Hub token", "dckr_pat_ dckr_oat_", f"{W}{{24,40}}"),
    rule(
        "sourcegraph-token",
        "Sourcegraph token",
        "sgp_ slk_",
        f"(?:(?:[a-fA-F0-9]{{16}}|local)_)?{H}{{40}}",
    ),
    rule("sonar-token", "SonarQube token", "squ_ sqp_ sqa_", f"{H}{{40}}"),
    rule("circleci-token", "CircleCI token", "CCIPAT_ CCIPRJ_", f"{A}{{20,24}}_{H}{{40}}"),
    rule("buildkite-token", "Buildkite token", "bkua_ bkat_ bkaj_ bkpt_", f"{A}{{32,60}}"),
    rule("pulumi-token", "Pulumi token", "pul-", f"{H}{{40}}"),
    rule(
        "terraform-token",
        "Terraform Cloud token",
        ".atlasv1.",
        f"{W}{{60,70}}",
        free=True,
        back=f"{A}{{14}}",
    ),
    rule("vault-token", "HashiCorp Vault token", "hvs. hvb. hvr.", f"{W}{{24,300}}"),
    rule("vault-token", "HashiCorp Vault token", "s.", f"{A}{{24}}", _digits),
    rule(
        "doppler-token",
        "Doppler token",
        "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
        f"(?:[a-z0-9_-]{{1,40}}\\.)?{A}{{38,48}}",
    ),
    rule("infisical-token", "Infisical token", "st.", f"{H}{{24}}\\.{H}{{32}}\\.{H}{{32}}"),
    rule(
        "1password-token",
        "1Password service account token",
        "ops_eyJ",
        f"[A-Za-z0-9_=-]{{100,400}}",
    ),
    rule(
        "1password-token",
        "1Password secret key",
        "A3-",
        f"{U}{{6}}-(?:{U}{{11}}|{U}{{6}}-{U}{{5}})-{U}{{5}}-{U}{{5}}-{U}{{5}}",
    ),
    rule(
        "age-key",
        "age secret key",
        "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1 AGE-PLUGIN-YUBIKEY-1",
        f"[0-9A-Z]{{58,80}}",
    ),
    rule("openshift-token", "OpenShift token", "sha256~", f"{W}{{43}}"),
    rule("postman-key", "Postman API key", "PMAK-", f"{H}{{24}}-{H}{{34}}"),
    rule("postman-key", "Postman collection key", "PMAT-", f"{U}{{26}}"),
    rule("readme-key", "ReadMe API key", "rdme_", "[a-z0-9]{70}"),
    rule("prefect-key", "Prefect API key", "pnu_ pnb_", f"{A}{{36}}"),
    rule("snyk-token", "Snyk token", "snyk_", f"(?:uat|sat|pat)[.\\w-]{{30,200}}"),
    rule("deno-token", "Deno Deploy token", "ddp_ ddw_ ddo_", f"{A}{{36}}"),
    rule("octopus-key", "Octopus Deploy API key", "API-", f"{U}{{26}}", _digits),
    rule("launchdarkly-key", "LaunchDarkly key", "sdk- api- mob-", UUID),
    rule("ngrok-key", "ngrok key", "ak_2 cr_2", f"{A}{{25}}", _digits),
    rule("infracost-key", "Infracost API key", "ico-", f"{A}{{32}}", _digits),
    rule(
        "dynatrace-token",
        "Dynatrace token",
        "dt0c01. dt0s01. dt0s02. dt0s16.",
        f"{A}{{8,24}}\\.{A}{{64}}",
    ),
    rule("harness-token", "Harness token", "pat. sat.", f"{W}{{22}}\\.{A}{{24}}\\.{A}{{20}}"),
    rule("travis-secret", "CodeClimate or Codecov token", "codecov_", f"{A}{{24,60}}", _mixed),
)

MESSAGES: Final = (
    rule(
        "slack-token",
        "Slack token",
        "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe. xoxe- xoxe.xoxp- xoxe.xoxb- xapp- xwfp-",
        f"[A-Za-z0-9%.-]{{18,400}}",
    ),
    rule(
        "slack-webhook",
        "Slack webhook address",
        "hooks.slack.com/",
        f"(?:services|workflows|triggers)/[A-Za-z0-9+/]{{30,120}}",
        free=True,
    ),
    rule(
        "discord-webhook",
        "Discord webhook address",
        "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
        f"\\d{{16,20}}/{W}{{50,90}}",
        free=True,
    ),
    rule(
        "discord-token",
        "Discord bot token",
        "MT Mz Nz ND NT Nj Nz OD OT MD",
        f"{W}{{20,30}}\\.{W}{{6}}\\.{W}{{27,45}}(?!{W})",
        _mixed,
    ),
    rule(
        "teams-webhook",
        "Microsoft Teams webhook address",
        ".webhook.office.com/webhookb2/",
        "[A-Za-z0-9@/-]{60,260}",
        free=True,
    ),
    rule(
        "zapier-webhook",
        "Zapier webhook address",
        "hooks.zapier.com/hooks/catch/",
        f"\\d{{3,12}}/[a-z0-9]{{5,12}}",
        free=True,
    ),
    rule("sendgrid-key", "SendGrid API key", "SG.", f"{W}{{22}}\\.{W}{{43}}"),
    rule("twilio-key", "Twilio API key", "SK", f"{H}{{32}}"),
    rule("twilio-key", "Twilio account id", "AC", f"{H}{{32}}", near="token|auth|secret|twilio"),
    rule("mailgun-key", "Mailgun API key", "key-", f"{H}{{32}}(?:-{H}{{8}}-{H}{{8}})?"),
    rule("mailgun-key", "Mailgun signing key", "pubkey-", f"{H}{{32}}"),
    rule("mailchimp-key", "Mailchimp API key", "-us", r"\d{1,2}", free=True, back=f"{H}{{32}}"),
    rule("mailchimp-key", "Mandrill API key", "md-", f"{W}{{22}}", _digits),
    rule("brevo-key", "Brevo API key", "xkeysib- xsmtpsib-", f"{H}{{64}}-{A}{{16}}"),
    rule("mailersend-token", "MailerSend token", "mlsn.", f"{H}{{64}}"),
    rule("resend-key", "Resend API key", "re_", f"{A}{{8}}_{A}{{24}}"),
    rule("postmark-key", "Plivo or Vonage key", "MAMJ MAODU", f"{U}{{14,18}}", _digits),
    rule(
        "facebook-token",
        "Facebook access token",
        "EAAC EAAB EAAG EAAJ EAAI EAAM EAAD",
        f"{A}{{60,300}}",
        _mixed,
    ),
    rule("facebook-token", "Instagram access token", "IGQV IGAA", f"{W}{{60,300}}", _mixed),
    rule(
        "twitter-token",
        "Twitter bearer token",
        "AAAAAAAAAAAAAAAAAAAAA",
        "[A-Za-z0-9%]{60,120}",
        is_mixed,
    ),
    rule("linkedin-secret", "LinkedIn client secret", "WPL_AP", f"\\d\\.[A-Za-z0-9+/=.]{{16,60}}"),
    rule("intercom-token", "Intercom access token", "dG9rO", "[A-Za-z0-9+/]{50,120}={0,2}", _mixed),
)

PAYMENT: Final = (
    rule(
        "stripe-key",
        "Stripe secret key",
        "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_ sk_org_live_",
        f"{A}{{16,247}}",
    ),
    rule("webhook-secret", "webhook signing secret", "whsec_", "[A-Za-z0-9+/]{24,100}={0,2}"),
    rule("square-token", "Square token", "sq0atp- sq0csp- sq0idp-", f"{W}{{22,60}}"),
    rule("square-token", "Square access token", "EAAA", f"{W}{{60}}", _mixed),
    rule(
        "paypal-token",
        "PayPal or Braintree token",
        "access_token$production$ access_token$sandbox$",
        f"[a-z0-9]{{16}}\\${H}{{32}}",
    ),
    rule("paypal-token", "PayPal access token", "A21AA", f"{W}{{80,120}}"),
    rule(
        "shopify-token",
        "Shopify token",
        "shpat_ shpca_ shppa_ shpss_ shptka_ shpua_",
        "[0-9a-fA-F]{32}",
    ),
    rule("razorpay-key", "Razorpay key", "rzp_live_ rzp_test_", f"{A}{{14}}"),
    rule(
        "flutterwave-key",
        "Flutterwave secret key",
        "FLWSECK- FLWSECK_TEST- FLWSECK_LIVE-",
        f"{A}{{12,40}}-?X?",
    ),
    rule(
        "plaid-token", "Plaid token", "access-production- access-development- access-sandbox-", UUID
    ),
    rule("adyen-key", "Adyen API key", "AQE", "[a-z]hm[a-z][A-Za-z0-9+/=_.-]{50,300}"),
    rule("easypost-key", "EasyPost key", "EZAK EZTK", f"{A}{{54}}"),
    rule("shippo-key", "Shippo key", "shippo_live_ shippo_test_", f"{H}{{40}}"),
    rule("duffel-key", "Duffel key", "duffel_live_ duffel_test_", f"{W}{{43}}"),
    rule("gocardless-key", "GoCardless token", "live_ sandbox_", f"{W}{{40,48}}", _digits),
    rule("coinbase-key", "Coinbase Commerce or Lob key", "live_pub_ test_pub_", f"{H}{{31,35}}"),
    rule("paystack-key", "Mollie API key", "live_", f"{A}{{30}}", _digits),
)

TOOLS: Final = (
    rule("linear-key", "Linear API key", "lin_api_ lin_oauth_ lin_wh_", f"{A}{{32,64}}"),
    rule("notion-token", "Notion token", "ntn_", f"\\d{{11}}{A}{{30,40}}"),
    rule("notion-token", "Notion token", "secret_", f"{A}{{43}}"),
    rule("figma-token", "Figma token", "figd_ figo_ figu_", f"{W}{{36,60}}"),
    rule("airtable-token", "Airtable token", "pat", f"{A}{{14}}\\.{H}{{64}}"),
    rule("airtable-token", "Airtable API key", "key", f"{A}{{14}}", _digits, near="airtable"),
    rule("asana-token", "Asana token", "1/ 2/", f"\\d{{13,18}}(?:/\\d{{13,18}})?:{H}{{32}}"),
    rule("asana-token", "Asana token", "0/", f"{H}{{32}}"),
    rule("trello-token", "Trello token", "ATTA", f"{H}{{64,72}}"),
    rule("sentry-token", "Sentry token", "sntrys_", "[A-Za-z0-9+/=_-]{60,400}"),
    rule("sentry-token", "Sentry token", "sntryu_ sntrya_ sntryi_", f"{H}{{64}}"),
    rule("datadog-key", "Datadog key", "ddapp_ ddp_ ddapi_", f"{A}{{30,50}}", _mixed),
    rule("newrelic-key", "New Relic key", "NRAK- NRJS- NRII- NRIQ- NRRA- NRSP-", f"{W}{{18,44}}"),
    rule("newrelic-key", "New Relic key", "NRAL", "", free=True, back=f"{H}{{32,40}}(?:FFFF)?"),
    rule("grafana-token", "Grafana token", "glsa_", f"{A}{{32}}_[0-9a-fA-F]{{8}}"),
    rule("grafana-token", "Grafana token", "glc_eyJ", "[A-Za-z0-9+/=]{30,400}"),
    rule("grafana-token", "Grafana API key", "eyJrIjoi", "[A-Za-z0-9+/=]{60,400}"),
    rule("pagerduty-key", "PagerDuty token", "pdus+_", f"[\\w+-]{{20,60}}"),
    rule("pagerduty-key", "PagerDuty API key", "u+", f"{W}{{18}}", _digits, near="pagerduty|pd_"),
    rule("posthog-key", "PostHog personal key", "phx_ phs_", f"{A}{{40,60}}"),
    rule("hubspot-token", "HubSpot token", "pat-na1- pat-na2- pat-eu1- pat-ap1-", UUID),
    rule("typeform-token", "Typeform token", "tfp_", f"[\\w.=-]{{40,70}}"),
    rule("contentful-token", "Contentful token", "CFPAT-", f"{W}{{40,60}}"),
    rule("dropbox-token", "Dropbox token", "sl.", f"{W}{{100,300}}", _mixed),
    rule("mapbox-token", "Mapbox secret token", "sk.eyJ", f"{W}{{40,200}}\\.{W}{{16,40}}"),
    rule("okta-token", "Okta token", "SSWS ", f"00{W}{{38,42}}"),
    rule("okta-token", "Okta token", "00", f"{W}{{40}}(?!{W})", _digits, near="okta"),
    rule("cloudinary-url", "Cloudinary credential", "cloudinary://", f"\\d{{12,16}}:{W}{{20,40}}@"),
    rule("frameio-token", "Frame.io token", "fio-u-", f"[\\w=-]{{64}}"),
    rule("adobe-secret", "Adobe client secret", "p8e- p8-", f"{A}{{32}}", _digits),
    rule("alibaba-token", "Apify token", "apify_api_ apify_proxy_", f"{A}{{30,40}}"),
    rule("algolia-key", "Cal.com key", "cal_live_ cal_", f"{H}{{32}}"),
    rule("clickup-token", "ClickUp token", "pk_", f"\\d{{6,9}}_{U}{{32}}"),
    rule("monday-token", "Coda or Baserow token", "coda_ brt_", f"{A}{{32,60}}", _mixed),
    rule("mattermost-token", "WakaTime key", "waka_", UUID),
    rule(
        "home-assistant-token",
        "Todoist or Raycast key",
        "todoist_ raycast_",
        f"{A}{{30,60}}",
        _mixed,
    ),
    rule(
        "telegram-token",
        "Telegram bot token",
        ":AA",
        f"{W}{{33}}(?!{W})",
        free=True,
        back=r"(?:bot)?\d{8,10}",
    ),
)

RULES: Final[tuple[Rule, ...]] = (*CLOUD, *CODE, *MESSAGES, *PAYMENT, *TOOLS)

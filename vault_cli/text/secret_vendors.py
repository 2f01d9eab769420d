r"""The table of secrets with a known shape: models, payment, messages, office tools, China.

The form of a row is described in `secret_kinds`.
"""

from __future__ import annotations

from typing import Final

MODELS: Final = r"""
anthropic-admin-key ; Anthropic admin API key ; sk-ant-admin ; \d\d-<W>{32,200}
anthropic-key ; Anthropic API key ; sk-ant- ; (?:[a-z]{2,8}\d\d-)?<W>{32,200}
openai-key ; OpenAI API key ; sk-proj- sk-svcacct- sk-admin- sk-service- sk-None- ; <W>{32,250}
openai-key ; OpenAI API key ; sk- ; <A>{20}T3BlbkFJ<A>{20}
openai-session ; OpenAI session key ; sess- ; <A>{40}
openrouter-key ; OpenRouter API key ; sk-or-v1- sk-or- ; <H>{64}
langfuse-key ; Langfuse secret key ; sk-lf- ; <UUID>
model-key ; API key of a model vendor ; sk- ; <W>{20,200} ; check=vendor
huggingface-token ; Hugging Face token ; hf_ api_org_ ; <A>{34,40}
groq-key ; Groq API key ; gsk_ ; <A>{48,60}
xai-key ; xAI API key ; xai- ; <A>{60,100}
perplexity-key ; Perplexity API key ; pplx- ; <A>{40,64}
replicate-token ; Replicate token ; r8_ ; <A>{36,40}
together-key ; Together API key ; tgp_v1_ ; <W>{36,60}
fireworks-key ; Fireworks API key ; fw_ ; <A>{22,48} ; check=mixed
nvidia-key ; NVIDIA API key ; nvapi- ; <W>{60,80}
cerebras-key ; Cerebras API key ; csk- ; [a-z0-9]{40,60}
elevenlabs-key ; ElevenLabs API key ; sk_ ; <H>{48}
pinecone-key ; Pinecone API key ; pcsk_ ; <W>{50,90}
jina-key ; Jina API key ; jina_ ; <W>{50,80}
voyage-key ; Voyage API key ; pa- ; <W>{43} ; check=mixed
langsmith-key ; LangSmith API key ; lsv2_pt_ lsv2_sk_ ; <H>{32}_<H>{10}
langsmith-key ; LangSmith API key ; ls__ ; <H>{32}
wandb-key ; Weights & Biases API key ; wandb_v1_ ; <W>{40,100}
tavily-key ; Tavily API key ; tvly- ; (?:dev-|prod-)?<W>{20,60} ; check=mixed
firecrawl-key ; Firecrawl API key ; fc- ; <H>{32}
e2b-key ; E2B API key ; e2b_ ; <H>{40}
brave-key ; Brave Search API key ; BSA ; <W>{26,30} ; check=mixed
modal-token ; Modal token ; ak- as- ; <A>{22} ; check=mixed
llama-cloud-key ; LlamaCloud API key ; llx- ; <A>{40,60}
mem0-key ; Mem0 API key ; m0- ; <A>{36,48}
browserbase-key ; Browserbase API key ; bb_live_ ; <W>{24,40}
composio-key ; Composio API key ; comp_ ak_ ; <W>{20,30} ; check=random
zhipu-key ; Zhipu API key ; . ; <A>{16} ; check=random ; free ; back=<H>{32}
"""

PAYMENT: Final = r"""
stripe-key ; Stripe secret key ; sk_live_ rk_live_ sk_test_ rk_test_ sk_org_live_ ; <A>{16,247}
webhook-secret ; webhook signing secret ; whsec_ ; [A-Za-z0-9+/]{24,100}={0,2}
square-token ; Square token ; sq0atp- sq0csp- sq0idp- ; <W>{22,60}
square-token ; Square token ; EAAA ; <W>{60} ; check=mixed
braintree-token ; PayPal Braintree token ; access_token$production$ access_token$sandbox$
    ; [a-z0-9]{16}\$<H>{32}
paypal-token ; PayPal access token ; A21AA ; <W>{80,120}
shopify-token ; Shopify token ; shpat_ shpca_ shppa_ shpss_ shptka_ shpua_ ; [0-9a-fA-F]{32}
razorpay-key ; Razorpay key ; rzp_live_ rzp_test_ ; <A>{14}
flutterwave-key ; Flutterwave secret key ; FLWSECK- FLWSECK_TEST- FLWSECK_LIVE- ; <A>{12,40}-?X?
plaid-token ; Plaid token ; access-production- access-development- access-sandbox- ; <UUID>
adyen-key ; Adyen API key ; AQE ; [a-z]hm[a-z][A-Za-z0-9+/=_.-]{50,300}
easypost-key ; EasyPost key ; EZAK EZTK ; <A>{54}
shippo-key ; Shippo key ; shippo_live_ shippo_test_ ; <H>{40}
duffel-key ; Duffel key ; duffel_live_ duffel_test_ ; <W>{43}
live-key ; live key of a payment service ; live_ ; (?:pub_)?<W>{30,48} ; check=random
test-key ; test key of a payment service ; test_ ; (?:pub_)?<A>{30,48} ; check=random
"""

MESSAGES: Final = r"""
slack-token ; Slack token ; xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe. xoxe- xapp- xwfp-
    ; [A-Za-z0-9%.-]{18,400}
slack-webhook ; Slack webhook address ; hooks.slack.com/
    ; (?:services|workflows|triggers)/[A-Za-z0-9+/]{30,120} ; free
discord-webhook ; Discord webhook address ; discord.com/api/webhooks/ discordapp.com/api/webhooks/
    ; \d{16,20}/<W>{50,90} ; free
discord-token ; Discord bot token ; MT Mz Nz ND NT Nj OD OT MD
    ; <W>{20,30}\.<W>{6}\.<W>{27,45}(?!<W>)
    ; check=mixed
telegram-token ; Telegram bot token ; :AA ; <W>{33}(?!<W>) ; free ; back=(?:bot)?\d{8,10}
teams-webhook ; Microsoft Teams webhook address ; .webhook.office.com/webhookb2/
    ; [A-Za-z0-9@/-]{60,260} ; free
zapier-webhook ; Zapier webhook address ; hooks.zapier.com/hooks/catch/ ; \d{3,12}/[a-z0-9]{5,12}
    ; free
sendgrid-key ; SendGrid API key ; SG. ; <W>{22}\.<W>{43}
twilio-key ; Twilio API key ; SK ; <H>{32}
twilio-account ; Twilio account id ; AC ; <H>{32} ; near=token|auth|secret
mailgun-key ; Mailgun API key ; key- pubkey- ; <H>{32}(?:-<H>{8}-<H>{8})?
mailgun-key ; Mailgun API key ; - ; <H>{8}-<H>{8} ; free ; back=<H>{32}
mailchimp-key ; Mailchimp API key ; -us ; \d{1,2} ; free ; back=<H>{32}
mandrill-key ; Mandrill API key ; md- ; <W>{22} ; check=random
brevo-key ; Brevo API key ; xkeysib- xsmtpsib- ; <H>{64}-<A>{16}
mailersend-token ; MailerSend token ; mlsn. ; <H>{64}
resend-key ; Resend API key ; re_ ; <A>{6,10}_<A>{22,26} ; check=mixed
facebook-token ; Facebook access token ; EAAC EAAB EAAG EAAJ EAAI EAAM EAAD EAAO ; <A>{60,300}
    ; check=mixed
instagram-token ; Instagram access token ; IGQV IGAA ; <W>{60,300} ; check=mixed
twitter-token ; Twitter bearer token ; AAAAAAAAAAAAAAAAAAAAA ; [A-Za-z0-9%]{60,120}
    ; check=shuffled
linkedin-secret ; LinkedIn client secret ; WPL_AP ; \d\.[A-Za-z0-9+/=.]{16,60}
intercom-token ; Intercom access token ; dG9rO ; [A-Za-z0-9+/]{50,120}={0,2} ; check=mixed
"""

TOOLS: Final = r"""
linear-key ; Linear API key ; lin_api_ lin_oauth_ lin_wh_ ; <A>{32,64}
notion-token ; Notion token ; ntn_ ; \d{11}<A>{30,40}
notion-token ; Notion token ; secret_ ; <A>{43}
figma-token ; Figma token ; figd_ figo_ figu_ ; <W>{36,60}
airtable-token ; Airtable token ; pat ; <A>{14}\.<H>{64}
airtable-token ; Airtable token ; key ; <A>{14} ; check=random ; near=airtable
asana-token ; Asana token ; 1/ 2/ ; \d{13,18}(?:/\d{13,18})?:<H>{32}
asana-token ; Asana token ; 0/ ; <H>{32}
trello-token ; Trello token ; ATTA ; <H>{64,72}
sentry-token ; Sentry token ; sntrys_ ; [A-Za-z0-9+/=_-]{60,400}
sentry-token ; Sentry token ; sntryu_ sntrya_ sntryi_ ; <H>{64}
datadog-key ; Datadog key ; ddapp_ ddp_ ddapi_ ; <A>{30,50} ; check=mixed
newrelic-key ; New Relic key ; NRAK- NRJS- NRII- NRIQ- NRRA- NRSP- ; <W>{18,44}
newrelic-key ; New Relic key ; NRAL ; ; free ; back=<H>{32,40}(?:FFFF)?
grafana-token ; Grafana token ; glsa_ ; <A>{32}_[0-9a-fA-F]{8}
grafana-token ; Grafana token ; glc_eyJ ; [A-Za-z0-9+/=]{30,400}
grafana-token ; Grafana token ; eyJrIjoi ; [A-Za-z0-9+/=]{60,400}
pagerduty-key ; PagerDuty API key ; pdus+_ ; [\w+-]{20,60}
pagerduty-key ; PagerDuty API key ; u+ y_ ; <W>{18} ; check=random ; near=pagerduty|pd_
posthog-key ; PostHog personal key ; phx_ phs_ ; <A>{40,60}
hubspot-token ; HubSpot token ; pat-na1- pat-na2- pat-eu1- pat-ap1- ; <UUID>
typeform-token ; Typeform token ; tfp_ ; [\w.=-]{40,70}
contentful-token ; Contentful token ; CFPAT- ; <W>{40,60}
dropbox-token ; Dropbox token ; sl. ; (?:u\.)?<W>{100,300} ; check=mixed
mapbox-token ; Mapbox secret token ; sk.eyJ ; <W>{40,200}\.<W>{16,40}
okta-token ; Okta token ; 00 ; <W>{40}(?!<W>) ; check=random ; near=okta|ssws
cloudinary-url ; Cloudinary credential ; cloudinary:// ; \d{12,16}:<W>{20,40}@
frameio-token ; Frame.io token ; fio-u- ; [\w=-]{64}
adobe-secret ; Adobe client secret ; p8e- p8- ; <A>{32} ; check=random
apify-token ; Apify token ; apify_api_ apify_proxy_ ; <A>{30,40}
calcom-key ; Cal.com API key ; cal_live_ cal_ ; <H>{32}
clickup-token ; ClickUp token ; pk_ ; \d{6,9}_<U>{32}
coda-token ; Coda token ; coda_ ; <A>{32,60} ; check=mixed
wakatime-key ; WakaTime API key ; waka_ ; <UUID>
n8n-key ; n8n API key ; n8n_api_ ; <W>{30,80} ; check=mixed
"""

CHINA: Final = r"""
aliyun-key-id ; Aliyun access key id ; LTAI ; <A>{12,26} ; check=cased
aliyun-sts ; Aliyun temporary access key id ; STS. ; <A>{20,40} ; check=mixed
tencent-key-id ; Tencent Cloud secret id ; AKID ; <A>{32,40}
volcengine-key-id ; Volcengine access key id ; AKLT AKTP ; <A>{32,64}={0,2}
baidu-key ; Baidu Cloud API key ; bce-v3/ALTAK- ; <A>{16,32}/<H>{40}
baidu-key-id ; Baidu Cloud access key id ; ALTAK ; -?<A>{18,32}
jdcloud-key-id ; JD Cloud access key id ; JDC_ ; <U>{26,32}
dingtalk-webhook ; DingTalk robot address ; oapi.dingtalk.com/robot/send?access_token= ; <H>{64}
    ; free
dingtalk-secret ; DingTalk signing secret ; SEC ; <H>{64}
wecom-webhook ; WeCom robot address ; qyapi.weixin.qq.com/cgi-bin/webhook/send?key= ; <UUID> ; free
feishu-webhook ; Feishu robot address ; /open-apis/bot/v2/hook/ /open-apis/bot/hook/
    ; (?:<UUID>|<H>{32}) ; free
feishu-webhook ; Feishu robot address ; /flow/api/trigger-webhook/ ; <H>{32} ; free
serverchan-key ; ServerChan send key ; SCT ; \d{3,7}T<A>{20,40}
modelscope-token ; ModelScope token ; ms- ; <UUID>
coding-token ; Gitee or Coding token ; gitee_ ptok ; <A>{32,64} ; check=mixed
wechat-token ; WeChat access token ; access_token= ; \d\d_<W>{100,200} ; free
"""

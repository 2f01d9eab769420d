r"""The table of secrets with a known shape: clouds, code hosts, build tools, keys.

One row is `kind ; words ; what it starts with ; pattern of the rest ; options`. A line that is
indented goes on with the row. In patterns `<A>` is a letter or digit, `<W>` also `_` and `-`,
`<H>` a hexadecimal digit, `<U>` a capital or digit, `<UUID>` a UUID. Options: `check=` a further
test, `free` = letters may stand before, `back=` a pattern that stands before and belongs to it,
`near=` a pattern that must stand around. Written from the formats the vendors give; model
vendors, payment, messages, office tools and China stand in `secret_vendors`.
"""

from __future__ import annotations

from typing import Final

CLOUD: Final = r"""
aws-access-key-id ; AWS access key id ; AKIA ASIA ABIA ACCA ; [A-Z0-9]{16} ; check=caps
aws-bedrock-key ; AWS Bedrock API key ; ABSK ; [A-Za-z0-9+/]{80,300}={0,2} ; check=mixed
aws-bedrock-key ; AWS Bedrock API key ; bedrock-api-key- ; [A-Za-z0-9+/=]{60,400}
google-api-key ; Google API key ; AIza ; <W>{35}(?!<W>)
google-api-key ; Google API key ; AQ.Ab8 ; <W>{30,80}
google-client-secret ; Google OAuth client secret ; GOCSPX- ; <W>{28}
google-access-token ; Google OAuth access token ; ya29. ; <W>{30,400}
google-refresh-token ; Google OAuth refresh token ; 1//0 ; <W>{40,200} ; check=mixed
google-hmac-key ; Google Cloud Storage HMAC key id ; GOOG1E GOOG ; <U>{18,60} ; check=random
azure-storage-key ; Azure storage account key ; AccountKey= ; [A-Za-z0-9+/]{86}== ; free
azure-shared-key ; Azure shared access key ; SharedAccessKey= ; [A-Za-z0-9+/]{40,90}={0,2} ; free
azure-sas ; Azure shared access signature ; sig= ; (?:[A-Za-z0-9+/_-]|%[0-9A-Fa-f]{2}){40,120}={0,2}
    ; check=mixed ; free ; near=[?&](?:sv|se|sp|sr|skn)=
azure-client-secret ; Azure application secret ; 7Q~ 8Q~ ; [A-Za-z0-9_.~-]{31,34} ; free
    ; back=[A-Za-z0-9_.~-]{3}
azure-devops-token ; Azure DevOps personal access token ; AZDO ; <A>{4} ; free ; back=<A>{76}
azure-key ; Azure key ; JQQJ99 AzFu AzSe AIoT ACDb APIM +ACR ; [A-Za-z0-9+/]{6,60}={0,2}
    ; check=mixed ; free ; back=[A-Za-z0-9+/]{32,80}
digitalocean-token ; DigitalOcean token ; dop_v1_ doo_v1_ dor_v1_ ; <H>{64}
heroku-key ; Heroku API key ; HRKU- ; (?:AA)?<W>{36,80}
fly-token ; Fly.io token ; fo1_ ; <W>{43}
fly-token ; Fly.io token ; fm1r_ fm2_ fm1a_ ; [A-Za-z0-9+/=,_-]{60,400}
vercel-token ; Vercel token ; vcp_ vci_ vca_ vcr_ vck_ vercel_ ; <A>{24,64} ; check=mixed
netlify-token ; Netlify token ; nfp_ nfc_ nfo_ nfu_ nfb_ ; <A>{36,44}
cloudflare-token ; Cloudflare token ; cfk_ cfut_ cfat_ ; <W>{36,60}
cloudflare-origin-key ; Cloudflare origin CA key ; v1.0- ; <H>{24}-<H>{146}
supabase-key ; Supabase secret key ; sbp_ ; (?:v0_|oauth_)?<H>{40}
supabase-key ; Supabase secret key ; sb_secret_ ; <W>{20,60}
planetscale-token ; PlanetScale credential ; pscale_tkn_ pscale_pw_ pscale_oauth_
    ; [\w.=-]{32,64}
neon-key ; Neon API key ; napi_ ; <A>{40,70}
databricks-token ; Databricks token ; dapi dose ; <H>{32}(?:-\d)?
render-key ; Render API key ; rnd_ ; <A>{28,40}
railway-token ; Railway token ; rw_Fe26.2 ; [\w*.~-]{40,400}
scaleway-key-id ; Scaleway access key id ; SCW ; [A-Z0-9]{17} ; check=random
yandex-key ; Yandex Cloud key ; AQVN YCAJ YCNJ YCMJ ; <W>{20,60} ; check=mixed
yandex-key ; Yandex Cloud key ; t1. ; <A>{6,20}={0,2}\.<W>{80,100}={0,2}
xata-key ; Xata API key ; xau_ ; <A>{36,60}
tailscale-key ; Tailscale key ; tskey- ; (?:[a-z]{3,8}-)?<A>{8,24}-<A>{16,48}
ngrok-key ; ngrok key ; ak_2 cr_2 ; <A>{25,32} ; check=random
aiven-token ; Aiven token ; aivenv1 ; [A-Za-z0-9+/=]{60,400}
upstash-token ; Upstash token ; gQAAAA AX AY AZ ; [A-Za-z0-9_-]{40,90}={0,2} ; check=mixed
    ; near=upstash
confluent-secret ; Confluent secret ; cflt ; [A-Za-z0-9+/]{60}
hetzner-token ; Hetzner token ; hcloud_ ; <A>{40,70} ; check=mixed
"""

CODE: Final = r"""
github-personal-token ; GitHub personal access token ; ghp_ ; <A>{36,251} ; check=crc
github-fine-grained-token ; GitHub fine-grained personal access token ; github_pat_
    ; <A>{22}_<A>{59}
github-token ; GitHub token of an app ; gho_ ghs_ ghu_ ghr_ ; <A>{36,251} ; check=crc
gitlab-token ; GitLab token ; glpat- gldt- glrt- glrtr- glft- glptt- glsoat- glimt- glagent- glcbt-
    gloas- glffct- glwt- ; [A-Za-z0-9_.-]{20,300}
gitlab-runner-token ; GitLab runner registration token ; GR1348941 ; <W>{20}
gitlab-session ; GitLab session ; _gitlab_session= ; <H>{32} ; free
bitbucket-token ; Bitbucket token ; ATBB ATCTT3 BBDC- ; [A-Za-z0-9_=+-]{28,250} ; check=mixed
atlassian-token ; Atlassian API token ; ATATT3 ATSTT3 ATOT ; [A-Za-z0-9_=+-]{40,300} ; check=mixed
npm-token ; npm access token ; npm_ ; <A>{36} ; check=crc
npm-auth ; credential of a package registry ; :_authToken= :_auth= :_password=
    ; (?:<UUID>|[A-Za-z0-9+/=_-]{20,200}) ; free
pypi-token ; PyPI token ; pypi-AgE ; <W>{50,300}
rubygems-key ; RubyGems API key ; rubygems_ ; <H>{48}
crates-token ; crates.io token ; cio ; <A>{32} ; check=random
nuget-key ; NuGet API key ; oy2 ; [a-z0-9]{43}
clojars-token ; Clojars token ; CLOJARS_ ; [a-z0-9]{60}
packagist-token ; Packagist token ; packagist_ ; <W>{32,90} ; check=mixed
jfrog-key ; JFrog Artifactory key ; AKCp ; <A>{60,80}
jfrog-key ; JFrog Artifactory key ; cmVmdGtu ; <A>{50,80}
docker-token ; Docker Hub token ; dckr_pat_ dckr_oat_ ; <W>{24,40}
sourcegraph-token ; Sourcegraph token ; sgp_ slk_ ; (?:(?:[a-fA-F0-9]{16}|local)_)?<H>{40}
sonar-token ; SonarQube token ; squ_ sqp_ sqa_ ; <H>{40}
circleci-token ; CircleCI token ; CCIPAT_ CCIPRJ_ ; <A>{20,24}_<H>{40}
buildkite-token ; Buildkite token ; bkua_ bkat_ bkaj_ bkpt_ bkct_ ; <A>{32,60}
pulumi-token ; Pulumi token ; pul- ; <H>{40}
terraform-token ; Terraform Cloud token ; .atlasv1. ; <W>{60,70} ; free ; back=<A>{14}
vault-token ; HashiCorp Vault token ; hvs. hvb. hvr. ; <W>{24,300}
vault-token ; HashiCorp Vault token ; s. b. ; <A>{24} ; check=random
doppler-token ; Doppler token ; dp.pt. dp.st. dp.ct. dp.sa. dp.said. dp.scim. dp.audit.
    ; (?:[a-z0-9_-]{1,40}\.)?<A>{38,48}
infisical-token ; Infisical token ; st. ; <H>{24}\.<H>{32}\.<H>{32}
1password-token ; 1Password service account token ; ops_eyJ ; [A-Za-z0-9_=-]{100,400}
1password-key ; 1Password secret key ; A3-
    ; <U>{6}-(?:<U>{11}|<U>{6}-<U>{5})-<U>{5}-<U>{5}-<U>{5}
age-key ; age secret key ; AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1 AGE-PLUGIN-YUBIKEY-1
    ; [0-9A-Z]{58,80}
openshift-token ; OpenShift token ; sha256~ ; <W>{43}
kubernetes-token ; Kubernetes client key ; client-key-data: ; [ ]?[A-Za-z0-9+/=]{60,400} ; free
rancher-token ; Rancher token ; token- ; [a-z0-9]{5}:[a-z0-9]{54}
kubeadm-token ; Kubernetes bootstrap token ; --token ; [ =][a-z0-9]{6}\.[a-z0-9]{16} ; free
    ; near=kubeadm|join
postman-key ; Postman API key ; PMAK- ; <H>{24}-<H>{34}
postman-key ; Postman API key ; PMAT- ; <U>{26}
readme-key ; ReadMe API key ; rdme_ ; [a-z0-9]{70}
prefect-key ; Prefect API key ; pnu_ pnb_ ; <A>{36}
snyk-token ; Snyk token ; snyk_ ; (?:uat|sat|pat)[.\w-]{30,200}
deno-token ; Deno Deploy token ; ddp_ ddw_ ddo_ ; <A>{36}
octopus-key ; Octopus Deploy API key ; API- ; <U>{26} ; check=random
launchdarkly-key ; LaunchDarkly key ; sdk- api- mob- ; <UUID>
infracost-key ; Infracost API key ; ico- ; <A>{32} ; check=random
dynatrace-token ; Dynatrace token ; dt0c01. dt0s01. dt0s02. dt0s16. ; <A>{8,24}\.<A>{64}
harness-token ; Harness token ; pat. sat. ; <W>{22}\.<A>{24}\.<A>{20}
codecov-token ; Codecov token ; codecov_ ; <A>{24,60} ; check=mixed
depot-token ; Depot token ; depot_org_ depot_project_ ; <W>{32,70} ; check=mixed
"""

// Tokens of every shape that is hidden.
/** Random characters. */
export const R = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ";
const AWS_SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
// Parts of the tokens below, so that scanners of this repository do not report them.
const EXAMPLE = "IOSFODNN7EXAMPLE";
export const KEY = "PRIVATE KEY";
const NUMBER = "123456789012";
export const AWS_ID = `AKIA${EXAMPLE}`;
const PEM = `-----BEGIN RSA ${KEY}-----\nMIIEpAIBAAKCAQEA\n-----END RSA ${KEY}-----`;

/** So many random characters. */
function long(length: number): string {
  return R.repeat(4).slice(0, length);
}

export const TOKENS = [
  `sk-${R}`,
  `sk-proj-${R}_-${R}`,
  `sk-ant-api03-${R}-${R}AA`,
  `sk-or-v1-${"0123456789abcdef".repeat(4)}`,
  `fk-${R.slice(0, 12)}-${R}`,
  `ghp_${R}`,
  `gho_${R}`,
  `github_pat_${R}_${R}`,
  `glpat-${R.slice(0, 20)}`,
  `xoxb-${NUMBER}-${R}`,
  `xoxp-${NUMBER}-${R}`,
  `xoxa-2-${R}`,
  AWS_ID,
  `ASIA${EXAMPLE}`,
  `AIzaSyA${R}${R.slice(0, 6)}`,
  `npm_${R}${R.slice(0, 10)}`,
  `sk_live_${R}`,
  `sk-svcacct-${R}`,
  `rk_test_${R}`,
  `ghu_${R}`,
  `glptt-${R}`,
  `xapp-1-${R}`,
  `ya29.${R}`,
  `GOCSPX-${R}`,
  `pypi-${R}${R}`,
  `gsk_${R}`,
  `xai-${R}`,
  `hf_${R}${R.slice(0, 8)}`,
  `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.${R}`,
  PEM,
  `sk_org_live_${R}`,
  `ek_test_${R}`,
  `whsec_${R}`,
  `pi_${R}_secret_${R}`,
  `xoxc-${NUMBER}-${R}`,
  `xoxd-${R}%2F${R}%3D`,
  `xoxe.xoxp-1-${R}`,
  `xoxe-1-${R}`,
  `xwfp-${NUMBER}-${R}`,
  `AQ.Ab8${R}${R}`,
  `1//0${R}${R}`,
  `4/0A${R}${R}`,
  `pypi-AgE${R}`,
  ["SG", R.slice(0, 22), `${R}${R.slice(0, 17)}`].join("."),
  ...["hvs", "hvb", "hvr"].map((kind) => [kind, R].join(".")),
  ...["pat", "oat"].map((kind) => `dckr_${kind}_${R}`),
  ...["api", "oauth", "wh"].map((kind) => `lin_${kind}_${R}${R.slice(0, 14)}`),
  // Azure: a client secret, and keys whose mark names the service
  ["aB38Q", `${R}${R.slice(0, 8)}`].join("~"),
  ...["APIM", "ACDb", "+ABa", "+AMC", "+ASt"].map((mark) => `${long(76)}${mark}${R.slice(0, 6)}==`),
  ...["AIoT", "+ASb", "+AEh", "+ARm"].map((mark) => `${long(33)}${mark}${R.slice(0, 6)}=`),
  ...["AzSe", "AzCa", "+ACR"].map((mark) => `${long(42)}${mark}A${R.slice(0, 5)}`),
  `${long(44)}AzFu${R.slice(0, 6)}==`,
  `${long(76)}AZDO${R.slice(0, 4)}`,
  `${long(52)}JQQJ99${R.slice(0, 8)}ACOG${R.slice(0, 10)}`,
];

const REDACTED = "[redacted]";

/** Texts with secrets, and the same texts without them. */
export const TEXTS: readonly (readonly [text: string, hidden: string])[] = [
  ["postgres://u:PASS@h:5432/db", `postgres://u:${REDACTED}@h:5432/db`],
  ["redis://:PASS@h", `redis://:${REDACTED}@h`],
  ["https://u:p@ss@h/x", `https://u:${REDACTED}@h/x`],
  [String.raw`postgres:\/\/u:PASS@h`, String.raw`postgres:\/\/u:` + `${REDACTED}@h`],
  [`https://${R}@git.example/x`, `https://${REDACTED}@git.example/x`],
  ["(see amqp://u:PASS@h)", `(see amqp://u:${REDACTED}@h)`],
  [`AWS_SECRET_ACCESS_KEY=${AWS_SECRET}`, `AWS_SECRET_ACCESS_KEY=${REDACTED}`],
  [`${AWS_ID},${AWS_SECRET}\n`, `${REDACTED},${REDACTED}\n`],
  [`{"SecretAccessKey": "${AWS_SECRET}"}`, `{"SecretAccessKey": "${REDACTED}"}`],
  [`curl -H "Authorization: Bearer ${R}"`, `curl -H "Authorization: Bearer ${REDACTED}"`],
  [`Endpoint=sb://h/;AccountKey=${R}==;a=b`, `Endpoint=sb://h/;AccountKey=${REDACTED};a=b`],
  [`SharedAccessKey=${R}=`, `SharedAccessKey=${REDACTED}`],
  [`//registry.example/:_authToken=${R}`, `//registry.example/:_authToken=${REDACTED}`],
  [`https://hooks.slack.com/services/T1/B2/${R}`, `https://hooks.slack.com/services/${REDACTED}`],
  [`https://${R}:x-oauth-basic@h/x`, `https://${REDACTED}:${REDACTED}@h/x`],
  [`https://${R}:@h/x`, `https://${REDACTED}:@h/x`],
  [PEM.slice(0, 45), REDACTED],
  [PEM.replaceAll("\n", "\\n"), REDACTED],
];

// Tokens of every shape that is hidden.
/** Random characters. */
export const R = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ";
export const AWS_SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
// Parts of the tokens below, so that scanners of this repository do not report them.
const EXAMPLE = "IOSFODNN7EXAMPLE";
export const KEY = "PRIVATE KEY";
const NUMBER = "123456789012";
export const AWS_ID = `AKIA${EXAMPLE}`;
export const PEM = `-----BEGIN RSA ${KEY}-----\nMIIEpAIBAAKCAQEA\n-----END RSA ${KEY}-----`;

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
  [PEM.slice(0, 45), REDACTED],
  [PEM.replaceAll("\n", "\\n"), REDACTED],
];

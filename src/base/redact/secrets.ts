import { isMixed, replaceInAddresses } from "./addresses.ts";

/** The text that replaces a secret. */
export const REDACTED = "[redacted]";

/** Shorter text holds none of the shapes below. */
const SHORTEST = 12;

/**
 * Tokens with a fixed beginning and a long random rest. The lengths are below those of real tokens,
 * but above those of ordinary words and class names that begin in the same way.
 */
const TOKEN = /* @__PURE__ */ anyOf(() => [
  // OpenAI, Anthropic, OpenRouter, Factory and others
  String.raw`\b[sf]k-(?:(?:proj|ant|svcacct|admin|or)-[\w-]{16,}|[A-Za-z0-9]{20,})`,
  String.raw`\bfk-[A-Za-z0-9]{8,}-[\w-]{16,}`,
  // Stripe: keys, secrets of webhooks and of payments
  String.raw`\b[erps]k_(?:org_)?(?:live|test)_[A-Za-z0-9]{10,}`,
  String.raw`\bwhsec_[\w+/=-]{20,}`,
  String.raw`\b(?:pi|seti)_[A-Za-z0-9]{10,}_secret_[A-Za-z0-9]{10,}`,
  // GitHub, GitLab
  String.raw`\bgh[oprsu]_[A-Za-z0-9]{16,}`,
  String.raw`\bgithub_pat_\w{20,}`,
  String.raw`\bgl(?:pat|ptt|dt|rt|cbt|soat)-[\w-]{16,}`,
  // Slack; a cookie is percent-encoded
  String.raw`\bxox(?:[abceoprs]-|e\.xox[bp]-)[\w-]{10,}`,
  String.raw`\bxoxd-[\w%-]{10,}`,
  String.raw`\b(?:xapp-\d|xwfp)-[\w-]{10,}`,
  // AWS: the id of an access key
  String.raw`\bA[KS]IA[A-Z0-9]{16}\b`,
  // Google: API keys, OAuth tokens, codes and client secrets
  String.raw`\bAIza[\w-]{30,}`,
  String.raw`\bAQ\.Ab[\w-]{40,}`,
  String.raw`\bya29\.[\w-]{20,}`,
  String.raw`\b(?:1\/\/0|4\/0A)[\w-]{30,}`,
  String.raw`\bGOCSPX-[\w-]{20,}`,
  // Azure: client secrets
  String.raw`(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])`,
  // SendGrid, HashiCorp Vault, Docker, Linear
  String.raw`\bSG\.[\w-]{16,}\.[\w-]{32,}`,
  String.raw`\bhv[sbr]\.[\w-]{20,}`,
  String.raw`\bdckr_[op]at_[\w-]{20,}`,
  String.raw`\blin_(?:api|oauth|wh)_[A-Za-z0-9]{20,}`,
  // npm, PyPI, Hugging Face, Groq, xAI
  String.raw`\bnpm_[A-Za-z0-9]{30,}`,
  String.raw`\bpypi-(?:AgE[\w-]{20,}|[\w-]{50,})`,
  String.raw`\bhf_[A-Za-z0-9]{30,}`,
  String.raw`\bgsk_[A-Za-z0-9]{20,}`,
  String.raw`\bxai-[A-Za-z0-9]{20,}`,
  // JSON Web Tokens: "eyJ" is the beginning of a JSON object in base64. Only the start of a run is
  // tried, so that a long run without dots takes linear time.
  String.raw`(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}`,
]);

/** Keys of Azure have a mark of their service near the end. */
const AZURE_MARK = /A(?:PIM|CDb|IoT|ZDO|z(?:Fu|Se|Ca))|\+A(?:Ba|MC|S[tb]|Eh|Rm|CR)|JQQJ9/;
const AZURE_KEY = /* @__PURE__ */ anyOf(() => [
  String.raw`(?<![\w+/])[A-Za-z0-9+/]{76}(?:APIM|ACDb|\+A(?:Ba|MC|St))[A-Za-z0-9+/]{6}==`,
  String.raw`(?<![\w+/])[A-Za-z0-9+/]{33}(?:AIoT|\+A(?:Sb|Eh|Rm))[A-Za-z0-9+/]{6}=`,
  String.raw`(?<![\w+/])[A-Za-z0-9+/]{42}(?:AzSe|AzCa|\+ACR)[A-D][A-Za-z0-9]{5}(?![\w+/=])`,
  String.raw`(?<![\w-])[\w-]{44}AzFu[\w-]{6}==`,
  String.raw`\b[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b`,
  String.raw`\b[A-Za-z0-9]{52}JQQJ9[9D][A-Za-z0-9]{20,30}\b`,
]);

function anyOf(shapes: () => readonly string[]): RegExp {
  return new RegExp(shapes().join("|"), "g");
}

/** The name of an access key is not enough to use it, but its secret often stands next to it. */
const AWS_KEY_ID = /\bA[KS]IA[A-Z0-9]{16}\b/;
const AWS_SECRET = /(?<![\w/+=])[A-Za-z0-9/+]{40}(?![\w/+=])/g;
const NAMED_AWS_SECRET = /(secret_?(?:access_?)?key\W{1,8})[A-Za-z0-9/+]{40}(?![\w/+])/gi;

/** In prose, "bearer" is followed by a word. A token is longer and has a digit. */
const BEARER = /\b(bearer\s{1,4})(?=[\w.~+/=-]{0,400}\d)[\w.~+/=-]{16,}/gi;

/** The keys in a connection string of Azure, and the tokens of registries in the settings of npm. */
const NAMED_KEY =
  /((?:account|access)key=|:_(?:authtoken|auth|password)\s{0,4}=\s{0,4})[\w+/=.~-]{16,}/gi;

/** Whoever knows such an address may post there. */
const SLACK_HOOK =
  /(\bhooks\.slack\.com(?:\\{0,7}\/)(?:services|workflows|triggers)(?:\\{0,7}\/))[\w/\\-]{16,}/g;

/** A private key in PEM. One that is cut off is hidden up to the end of the text. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?= ?(?:[\r\n]|\\{1,7}[nr]))[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

/** Every shape but addresses contains one of these, so one quick search clears most texts. */
const SUSPECT =
  /[efprs]k[-_]|gh[oprsu]_|_pat_|gl[a-z]{2,4}-|xox|xapp|xwfp|slack\.com|A(?:[KS]IA|Iza|Q\.|PIM|CDb|IoT|ZDO|zFu|zSe|zCa)|\+A(?:Ba|MC|St|Sb|Eh|Rm|CR)|\dQ~|JQQJ9|ya29|1\/\/0|4\/0A|GOCSPX|SG\.|hv[bsr]\.|dckr|lin_|npm_|:_|pypi-|hf_|gsk_|xai-|whsec|eyJ|[Kk]ey=|[Ss]ecret|SECRET|[Bb]earer|BEARER|PRIVATE KEY/;

/**
 * Hides tokens, keys and passwords that can be recognized without a name beside them. They are rare
 * in ordinary text, so this can be applied to everything that an agent says. Pure.
 */
export function hideTokens(text: string): string {
  if (text.length < SHORTEST) return text;
  const clean = replaceInAddresses(text, () => REDACTED);
  return SUSPECT.test(clean) ? hideShapes(clean) : clean;
}

function hideShapes(text: string): string {
  const hasKeyId = AWS_KEY_ID.test(text);
  const rest = hasKeyId ? text.replace(AWS_SECRET, (run) => (isMixed(run) ? REDACTED : run)) : text;
  const open = AZURE_MARK.test(rest) ? rest.replace(AZURE_KEY, REDACTED) : rest;
  return open
    .replace(PRIVATE_KEY, REDACTED)
    .replace(NAMED_AWS_SECRET, `$1${REDACTED}`)
    .replace(NAMED_KEY, `$1${REDACTED}`)
    .replace(SLACK_HOOK, `$1${REDACTED}`)
    .replace(BEARER, `$1${REDACTED}`)
    .replace(TOKEN, REDACTED);
}

const KEY =
  /^(?:.*[-_])?(?:authorization|cookie|password|passwd|passphrase|secret|token|(?:api|access|private|secret)[-_]?key|credentials?)$/i;

const CAMEL_KEY =
  /(?:Authorization|Cookie|Password|Passphrase|Secret|Token|(?:Api|Access|Private|Secret)Key|Credentials?)$/;

/** Whether a field, a flag or a variable of this name holds a secret. Pure. */
export function isSecretName(name: string): boolean {
  return KEY.test(name) || CAMEL_KEY.test(name);
}

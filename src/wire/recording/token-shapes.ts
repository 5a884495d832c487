/** The text that replaces a secret. */
export const REDACTED = "[redacted]";

/** Shorter text holds none of the shapes below. */
const SHORTEST = 12;

/**
 * Tokens with a fixed beginning and a long random rest. The lengths are below those of real tokens,
 * but above those of ordinary words and class names that begin in the same way.
 */
const TOKEN = new RegExp(
  [
    // OpenAI, Anthropic, OpenRouter, Factory and others
    String.raw`\b[sf]k-(?:(?:proj|ant|svcacct|admin|or)-[\w-]{16,}|[A-Za-z0-9]{20,})`,
    String.raw`\bfk-[A-Za-z0-9]{8,}-[\w-]{16,}`,
    // Stripe
    String.raw`\b[spr]k_(?:live|test)_[A-Za-z0-9]{10,}`,
    // GitHub, GitLab
    String.raw`\bgh[oprsu]_[A-Za-z0-9]{16,}`,
    String.raw`\bgithub_pat_\w{20,}`,
    String.raw`\bgl(?:pat|ptt|dt|rt|cbt|soat)-[\w-]{16,}`,
    // Slack
    String.raw`\bxox[abeoprs]-[\w-]{10,}`,
    String.raw`\bxapp-\d-[\w-]{10,}`,
    // AWS: the id of an access key
    String.raw`\bA[KS]IA[A-Z0-9]{16}\b`,
    // Google: API keys, OAuth tokens and client secrets
    String.raw`\bAIza[\w-]{30,}`,
    String.raw`\bya29\.[\w-]{20,}`,
    String.raw`\bGOCSPX-[\w-]{20,}`,
    // npm, PyPI, Hugging Face, Groq, xAI
    String.raw`\bnpm_[A-Za-z0-9]{30,}`,
    String.raw`\bpypi-[\w-]{50,}`,
    String.raw`\bhf_[A-Za-z0-9]{30,}`,
    String.raw`\bgsk_[A-Za-z0-9]{20,}`,
    String.raw`\bxai-[A-Za-z0-9]{20,}`,
    // JSON Web Tokens: "eyJ" is the beginning of a JSON object in base64. Only the start of a run is
    // tried, so that a long run without dots takes linear time.
    String.raw`(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}`,
  ].join("|"),
  "g",
);

/** The name of an access key is not enough to use it, but its secret often stands next to it. */
const AWS_KEY_ID = /\bA[KS]IA[A-Z0-9]{16}\b/;
const AWS_SECRET = /(?<![\w/+=])[A-Za-z0-9/+]{40}(?![\w/+=])/g;
const NAMED_AWS_SECRET = /(secret_?(?:access_?)?key\W{1,8})[A-Za-z0-9/+]{40}(?![\w/+])/gi;

/** In prose, "bearer" is followed by a word. A token is longer and has a digit. */
const BEARER = /\b(bearer\s{1,4})(?=[\w.~+/=-]{0,400}\d)[\w.~+/=-]{16,}/gi;

/** `scheme://user:PASSWORD@host`, and `scheme://TOKEN@host`. Slashes may be escaped. */
const URL_PASSWORD = /(:(?:\\{0,7}\/){2}[^\s/?#@:"'`<>\\]{0,256}:)[^\s/?#"'`<>\\]{1,1024}@/g;
const URL_TOKEN = /(:(?:\\{0,7}\/){2})[\w-]{20,}@/g;

/** A private key in PEM. One that is cut off is hidden up to the end of the text. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?= ?(?:[\r\n]|\\{1,7}[nr]))[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

/** Every shape but addresses contains one of these, so one quick search clears most texts. */
const SUSPECT =
  /[fprs]k[-_]|gh[oprsu]_|_pat_|gl[a-z]{2,4}-|xox|xapp|A[KS]IA|AIza|ya29|GOCSPX|npm_|pypi-|hf_|gsk_|xai-|eyJ|[Ss]ecret|SECRET|[Bb]earer|BEARER|PRIVATE KEY/;

/**
 * Hides tokens, keys and passwords that can be recognised without a name beside them. They are rare
 * in ordinary text, so this can be applied to everything that an agent says. Pure.
 */
export function hideTokens(text: string): string {
  if (text.length < SHORTEST) return text;
  const clean = text.includes("@") ? hideInAddresses(text) : text;
  return SUSPECT.test(clean) ? hideShapes(clean) : clean;
}

function hideInAddresses(text: string): string {
  return text.replace(URL_PASSWORD, `$1${REDACTED}@`).replace(URL_TOKEN, `$1${REDACTED}@`);
}

function hideShapes(text: string): string {
  const hasKeyId = AWS_KEY_ID.test(text);
  const rest = hasKeyId ? text.replace(AWS_SECRET, (run) => (isMixed(run) ? REDACTED : run)) : text;
  return rest
    .replace(PRIVATE_KEY, REDACTED)
    .replace(NAMED_AWS_SECRET, `$1${REDACTED}`)
    .replace(BEARER, `$1${REDACTED}`)
    .replace(TOKEN, REDACTED);
}

/** Whether a run has capitals, small letters and digits, unlike a commit id or a path. */
function isMixed(run: string): boolean {
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run);
}

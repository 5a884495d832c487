import type { SessionFields, Finding } from "../findings.ts";
import type { ImportLoss, SessionFormat } from "../../../trace/index.ts";

export interface PageSession {
  /** Letters, digits, `-` and `_`. */
  readonly id: string;
  readonly name: string;
  /** Whether more entries may come. */
  readonly live: boolean;
  readonly losses: readonly ImportLoss[];
  /** The format that it was read from. Default: `dragoman`. */
  readonly format?: SessionFormat | undefined;
  /** Whether the entries have times. Default: true. */
  readonly isTimed?: boolean | undefined;
  /** Whether secrets were removed. Default: as the header of the recording says. */
  readonly redacted?: boolean | undefined;
  /** How many values the removal of secrets replaced, if that is known. */
  readonly hidden?: number | undefined;
}

/** A session inside a page that needs no server. */
export interface EmbeddedSession {
  readonly info: PageSession;
  /** The base64 of the gzipped recording. */
  readonly recording: string;
  readonly findings: readonly Finding[];
  readonly fields?: SessionFields | undefined;
}

/**
 * The page with sessions in it, as one file that opens by double-click. Throws an Error if the text is not
 * the page of `dragoman inspect`.
 */
export function exportPage(page: string, sessions: readonly EmbeddedSession[]): string {
  const csp = `<meta http-equiv="content-security-policy" content="${pageCsp(page, false)}">`;
  const data = [
    jsonElement(
      "sessions",
      sessions.map(({ info }) => ({ ...info, live: false })),
    ),
    ...sessions.flatMap(({ info: { id }, recording, findings, fields = {} }) => [
      `<script type="application/gzip+base64" id="recording-${checked(id, /^[\w-]+$/)}">${checked(recording, /^[A-Za-z0-9+/=]*$/)}</script>`,
      jsonElement(`findings-${id}`, { v: 1, findings }),
      jsonElement(`fields-${id}`, fields),
    ]),
  ];
  // Functions, because a replacement text would give `$` a meaning.
  return page.replace("<!--csp-->", () => csp).replace("<!--data-->", () => data.join("\n"));
}

/** The policy of the page: as a header of a server, or inside an exported file. */
export function pageCsp(page: string, isServed: boolean): string {
  const [, script, style] =
    /^<!doctype html>\s*<html [^>]*data-script="([^"]+)" data-style="([^"]+)"/.exec(page) ?? [];
  if (script === undefined || style === undefined)
    throw new Error("this is not the page of dragoman inspect");
  return [
    "default-src 'none'",
    `script-src '${script}'`,
    `style-src '${style}'`,
    "img-src data: blob:",
    `connect-src ${isServed ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    ...(isServed ? ["frame-ancestors 'none'"] : []),
    "require-trusted-types-for 'script'",
    "trusted-types lit-html",
  ].join("; ");
}

/** In JSON, `<` occurs only inside strings, so its escape keeps the value and closes no element. */
function jsonElement(id: string, value: unknown): string {
  const json = JSON.stringify(value).replaceAll("<", String.raw`\u003c`);
  return `<script type="application/json" id="${id}">${json}</script>`;
}

function checked(text: string, pattern: RegExp): string {
  if (!pattern.test(text)) throw new Error(`not allowed in a page: ${text.slice(0, 40)}`);
  return text;
}

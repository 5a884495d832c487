import { escapeHtml } from "../../../../base/index.ts";
import type { TranscriptFormat } from "./transcript.ts";

/** The facts about the session in a document, besides its messages. */
export interface TranscriptHead {
  readonly agent: string;
  readonly sessionId: string;
}

const asIs = (text: string): string => text;

/** For `sessions show`. */
export const PLAIN: TranscriptFormat = {
  begin: "",
  between: "\n\n",
  end: (isEmpty) => (isEmpty ? "" : "\n"),
  message: (who) => `${who}: `,
  piece: asIs,
  endMessage: "",
  tool: (title, status) => `[tool] ${title} (${status})`,
};

/** For `sessions export`. */
export const MARKDOWN: TranscriptFormat = {
  ...PLAIN,
  message: (who) => `## ${who}\n\n`,
  tool: (title, status) => `- tool: ${title} (${status})`,
};

/** A document of its own, without scripts and without anything that is loaded. All text is escaped. */
export function htmlFormat({ agent, sessionId }: TranscriptHead): TranscriptFormat {
  const name = escapeHtml(`Session ${sessionId} of ${agent}`);
  return {
    begin: `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${name}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
section { border-top: 1px solid; margin-top: 1rem; }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
.tool { color: GrayText; font-family: ui-monospace, monospace; }
:root { color-scheme: light dark; }
</style>
</head>
<body>
<h1>${name}</h1>
`,
    between: "",
    end: () => "</body>\n</html>\n",
    message: (who) => `<section>\n<h2>${who}</h2>\n<pre>`,
    piece: escapeHtml,
    endMessage: "</pre>\n</section>\n",
    tool: (text, status) => `<p class="tool">${escapeHtml(text)} (${escapeHtml(status)})</p>\n`,
  };
}

/** One JSON document. Its version increases if a field is removed or changes meaning. */
export function jsonFormat(head: TranscriptHead): TranscriptFormat {
  return {
    begin: `${JSON.stringify({ v: 1, ...head }).slice(0, -1)},"messages":[\n`,
    between: ",\n",
    end: (isEmpty) => `${isEmpty ? "" : "\n"}]}\n`,
    message: (who) => `{"role":"${who === "You" ? "user" : "agent"}","text":"`,
    // The halves of a split character become two escapes, which JSON reads as one character.
    piece: (text) => JSON.stringify(text).slice(1, -1),
    endMessage: '"}',
    tool: (title, status) => JSON.stringify({ role: "tool", title, status }),
  };
}

import { type RecordingEntry, isRecordedLine } from "../../transport/wire/index.ts";
import type { SessionEntry } from "../../trace/index.ts";
import { createRedactor, definedFields, parseJsonObject, REDACTED } from "../../base/index.ts";

export function entryRedactor() {
  const { line, text } = createRedactor([]);
  let hidden = 0;
  const clean = (from: string, hide: (text: string) => string): string => {
    const to = hide(from);
    if (to !== from) hidden += Math.max(1, occurrences(to) - occurrences(from));
    return to;
  };
  const redacted = <T extends SessionEntry | RecordingEntry>(entry: T): T => {
    if (isRecordedLine(entry)) {
      const to = clean(entry.line, line);
      return to === entry.line ? entry : { ...entry, line: to };
    }
    switch (entry.event) {
      case "stderr":
      case "note": {
        const to = clean(entry.text, text);
        return to === entry.text ? entry : { ...entry, text: to };
      }
      case "permission": {
        const { what, hint, question, description } = entry;
        const fields = definedFields({ what, hint, question, description });
        const to = Object.entries(fields).map(([key, from]) => [key, clean(from, text)]);
        return { ...entry, ...Object.fromEntries(to) };
      }
      case "unknown": {
        // As text, so that what is hidden is counted like everything else.
        const raw = parseJsonObject(clean(JSON.stringify(entry.raw), line));
        return { ...entry, raw: raw ?? {} };
      }
      case "exit":
        return entry;
    }
  };
  return {
    /** How many values were hidden so far. */
    get hidden(): number {
      return hidden;
    },
    entry: redacted,
  };
}

function occurrences(text: string): number {
  return text.split(REDACTED).length - 1;
}

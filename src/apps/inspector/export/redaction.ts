import { createRedactor, definedFields, parseFrame, REDACTED } from "../../../base/index.ts";
import { isRecordedLine, type RecordingEntry } from "../../../transport/wire/index.ts";
import type { SessionEntry } from "../../../trace/index.ts";

/** Removes secrets from entries and counts them. */
export interface EntryRedactor {
  /** How many values were hidden so far. */
  readonly hidden: number;
  /** The entry without secrets; the entry itself if it has none. */
  readonly entry: <T extends SessionEntry | RecordingEntry>(entry: T) => T;
}

/** Creates a redactor that also hides these values. */
export function entryRedactor(secrets: readonly string[] = []): EntryRedactor {
  const { line, text } = createRedactor(secrets);
  let hidden = 0;
  const clean = (from: string, hide: (text: string) => string): string => {
    const to = hide(from);
    if (to !== from) hidden += Math.max(1, occurrences(to) - occurrences(from));
    return to;
  };
  const changed = <T extends SessionEntry | RecordingEntry>(entry: T): T => {
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
        const raw = parseFrame(clean(JSON.stringify(entry.raw), line));
        return { ...entry, raw: raw ?? {} };
      }
      case "exit":
        return entry;
    }
  };
  return {
    get hidden() {
      return hidden;
    },
    entry: changed,
  };
}

function occurrences(text: string): number {
  return text.split(REDACTED).length - 1;
}

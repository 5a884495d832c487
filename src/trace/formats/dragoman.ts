import type { JsonObject } from "../../base/index.ts";
import {
  isRecordingHeader,
  RecordingError,
  toRecordingEntry,
  toRecordingHeader,
} from "../../transport/wire/index.ts";
import { lossOf, type SessionEntry, SessionFormatError, type SessionHeader } from "./imported.ts";
import type { LineFormat } from "./line-format.ts";

/** Our own recordings, versions 1 and 2. Throws a SessionFormatError for a newer one. */
export const dragomanFormat: LineFormat = {
  matches: isRecordingHeader,
  open: (first) => {
    const header = headerOf(first);
    let isFirst = true;
    return {
      header,
      read: (value) => {
        if (!isFirst) return entryOf(value);
        isFirst = false;
        return undefined;
      },
      losses: () => (header.version === 1 ? [lossOf("stderr"), lossOf("decisions")] : []),
    };
  },
};

function headerOf(first: JsonObject): SessionHeader {
  try {
    const { version, startedAt, redacted, agent, client, cwd } = toRecordingHeader(first, 1);
    return { format: "dragoman", version, startedAt, redacted, agent, client, cwd, isTimed: true };
  } catch (error) {
    throw error instanceof RecordingError ? new SessionFormatError(error.message) : error;
  }
}

function entryOf(value: JsonObject): SessionEntry | "unreadable" {
  try {
    return toRecordingEntry(value, 0);
  } catch {
    return "unreadable";
  }
}

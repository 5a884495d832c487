import type { JsonObject } from "../../base/index.ts";
import type { ImportLoss, SessionEntry, SessionHeader } from "./imported.ts";

/** Reads a format in which every line is a JSON object. */
export interface LineFormat {
  /** Whether a file with this first object has the format. */
  readonly matches: (first: JsonObject) => boolean;
  /** Starts reading. */
  readonly open: (first: JsonObject) => LineFormatReader;
}

/** Reads the lines of one file. */
export interface LineFormatReader {
  readonly header: SessionHeader;
  /**
   * Reads one object, the first one included, and the line that it stands on. Returns undefined for an object that holds no entry, and
   * "unreadable" for one that does not belong into the format.
   */
  readonly read: (value: JsonObject, text: string) => SessionEntry | "unreadable" | undefined;
  /** Everything that the format cannot hold. Called after the last line. */
  readonly losses: () => readonly ImportLoss[];
}

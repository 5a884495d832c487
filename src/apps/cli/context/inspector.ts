import type { InspectedSession } from "../../inspector/index.ts";
import type { RecordingFile } from "../shell/paced-channel.ts";

/** A page that shows sessions, for as long as a command runs. */
export interface Inspector {
  /** Whether secrets stay. */
  readonly keepSecrets: boolean;
  /** Adds a session to the page. */
  add(name: string): InspectedSession;
  /** Adds a session to the page, as the file that a recorder writes. */
  file(name: string): RecordingFile;
  /** Prints the address, writes it to the file of `--url-file`, and opens a browser. */
  announce(what: string): Promise<void>;
  /** Ends all sessions and the page. Never rejects. */
  close(): Promise<void>;
}

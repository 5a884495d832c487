import type { PacedOutput } from "./paced-channel.ts";

/** An open file for `--record`, or a session of a page in its place. */
export interface RecordingFile extends PacedOutput {
  write(text: string): void;
  end(): Promise<void>;
}

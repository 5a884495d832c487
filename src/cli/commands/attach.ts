import type { ParsedCommandLine } from "../args/parse.ts";
import { usageError, type ExitCode } from "../exit.ts";
import type { Io } from "../io.ts";

/** `dragoman attach [SESSION]`. */
export function attachCommand({ words }: ParsedCommandLine, _io: Io): Promise<ExitCode> {
  if (words.length > 1) throw usageError("attach takes one session");
  throw usageError("not yet");
}

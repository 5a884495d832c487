import type { ParsedCommandLine } from "../../args/parse.ts";
import { usageError, type ExitCode } from "../../exit.ts";
import type { Io } from "../../io.ts";

export function gatewayCommand(_parsed: ParsedCommandLine, _io: Io): Promise<ExitCode> {
  throw usageError("not there yet");
}

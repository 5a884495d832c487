import { InvalidArgumentError } from "../../errors.ts";
import type { LocalTerminalsOptions } from "./local-terminals.ts";
import type { TerminalProvider } from "./provider.ts";

/** Throws InvalidArgumentError: this runtime cannot start processes. */
export function localTerminals(_options: LocalTerminalsOptions = {}): TerminalProvider {
  throw new InvalidArgumentError(
    "this runtime cannot start processes: pass a terminal provider of your own",
  );
}

import { redactText } from "../../../base/index.ts";
import { CliError } from "./exit.ts";

/** An error that no code expected is a bug in Dragoman, and is reported as one. */
export function internalError(error: unknown): CliError {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const what = `internal error: ${redactText(text)}`;
  return new CliError("agentError", { what, hint: "report this as a bug" });
}

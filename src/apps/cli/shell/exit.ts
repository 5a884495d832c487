/** All exit codes of `dragoman`. docs/cli.md has the same table; a test keeps the two in step. */
export const EXIT = {
  done: 0,
  agentError: 1,
  usage: 2,
  timeout: 3,
  session: 4,
  permission: 5,
  auth: 6,
  cannotStart: 7,
  died: 8,
  checker: 9,
  stoppedEarly: 10,
  schema: 11,
  budget: 12,
  hangup: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitName = keyof typeof EXIT;
export type ExitCode = (typeof EXIT)[ExitName];

export const EXIT_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.done, "done"],
  [EXIT.agentError, "the agent answered with an error or violated the protocol"],
  [EXIT.usage, "invalid usage or settings"],
  [EXIT.timeout, "a time limit was reached"],
  [EXIT.session, "the session was not found, is in use or cannot be resumed"],
  [EXIT.permission, "a permission was denied (with --strict-permissions)"],
  [EXIT.auth, "the agent needs authentication"],
  [EXIT.cannotStart, "the agent could not start"],
  [EXIT.died, "the agent died"],
  [EXIT.checker, "dragoman check itself failed"],
  [EXIT.stoppedEarly, "the turn stopped early for a reason named in --fail-on"],
  [EXIT.schema, "the answer does not match the schema of --schema"],
  [EXIT.budget, "a limit of --max-cost, --max-tokens or --max-tool-calls was passed"],
  [EXIT.hangup, "ended by SIGHUP"],
  [EXIT.interrupted, "interrupted (Ctrl-C, SIGINT)"],
  [EXIT.terminated, "ended by SIGTERM"],
];

/** A failure without its exit code. Any text in it may come from the agent: sanitize before printing. */
export interface FailureDetails {
  /** The failure in one sentence, without a full stop. */
  readonly what: string;
  /** How the agent's process ended, such as `exit code 3`. */
  readonly exit?: string | undefined;
  /** The last lines the agent wrote to stderr. */
  readonly stderr?: string | undefined;
  /** The last lines of its stdout that are not protocol messages, if it did not start. */
  readonly stdout?: string | undefined;
  readonly hint?: string | undefined;
}

/** A failure with its exit code. Any code may throw it; it is printed once, at the end. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exit: ExitName;
  readonly details: FailureDetails;

  constructor(exit: ExitName, details: FailureDetails, options?: ErrorOptions) {
    super(details.what, options);
    this.exit = exit;
    this.details = details;
  }

  get code(): ExitCode {
    return EXIT[this.exit];
  }
}

/** A failure with exit code 2. */
export function usageError(what: string, hint?: string): CliError {
  return new CliError("usage", { what, hint });
}

/** Turns a sentence of advice into the form that follows "try:". */
export function asHint(advice: string): string {
  return (advice.charAt(0).toLowerCase() + advice.slice(1)).replace(/\.$/, "");
}

const SHOWN_LINES = 5;
const SHOWN_CHARACTERS = 600;

/** The last line that is printed for a failure. The caller sanitizes it. */
export function failureLine(details: FailureDetails): string {
  const exit = details.exit === undefined ? "" : ` (${details.exit})`;
  const stdout = tailOf("stdout", details.stdout);
  const stderr = tailOf("stderr", details.stderr);
  const hint = details.hint === undefined ? "" : `; try: ${details.hint}`;
  return `${oneLine(details.what)}${exit}${stdout}${stderr}${hint}`;
}

function tailOf(stream: "stdout" | "stderr", output = ""): string {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const text = lines.slice(-SHOWN_LINES).join(" | ");
  if (text === "") return "";
  const shown = text.length > SHOWN_CHARACTERS ? `…${text.slice(-SHOWN_CHARACTERS)}` : text;
  return `; ${stream} ends with: ${shown}`;
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").trim();
}

/** The command line of droid-acp. Pure. */
import { toError } from "../../base/index.ts";
import { parseArgs } from "node:util";
import { isModeId, MODE_IDS, type DroidModeId } from "./session/config.ts";

export interface Arguments {
  readonly action: "serve" | "doctor" | "login" | "help" | "version";
  readonly executable: string | undefined;
  readonly model: string | undefined;
  readonly mode: DroidModeId | undefined;
  readonly idleMinutes: number | undefined;
  readonly logFile: string | undefined;
  /** Whether the doctor prints JSON. */
  readonly json: boolean;
  /** The words that clients pass to other agents. They have no effect here. */
  readonly ignored: readonly string[];
}

type ParsedArgv =
  | { readonly ok: true; readonly arguments: Arguments }
  | { readonly ok: false; readonly message: string };

export const HELP = `Usage: droid-acp [options]

Serves Factory's Droid to an ACP client, such as an editor, on stdin and stdout.

Options:
  --droid PATH        the Droid executable (default: DROID_EXECUTABLE, then PATH and the usual folders)
  --model ID          the model for new sessions, such as custom:my-model (default: Droid's own)
  --mode MODE         the mode for new sessions: ${MODE_IDS.join(", ")} (default: Droid's own)
  --idle-minutes N    stop a session's Droid process after N minutes without a prompt (default: 15; 0: never)
  --log FILE          write a log with all frames to a file, without secrets
  --doctor            check whether a prompt would work; if not, print what to fix
  --json              with --doctor: print each check as a line of JSON
  --login             open Droid in this terminal to log in
  --version           print the version
  --help              print this help
`;

/** Parses the arguments after the program name. */
export function parseArgv(argv: readonly string[]): ParsedArgv {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        // Clients pass these two, and the word acp, because other agents need them.
        acp: { type: "boolean" },
        stdio: { type: "boolean" },
        droid: { type: "string" },
        model: { type: "string" },
        mode: { type: "string" },
        "idle-minutes": { type: "string" },
        log: { type: "string" },
        doctor: { type: "boolean" },
        json: { type: "boolean" },
        login: { type: "boolean" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
      },
    });
    const unknown = positionals.find((word) => word !== "acp");
    if (unknown !== undefined) return fault(`Unexpected argument '${unknown}'`);
    const idleMinutes =
      values["idle-minutes"] === undefined ? undefined : Number(values["idle-minutes"]);
    if (idleMinutes !== undefined && !(idleMinutes >= 0 && idleMinutes <= MAX_MINUTES))
      return fault(`--idle-minutes must be a number from 0 to ${MAX_MINUTES}`);
    const { mode } = values;
    if (mode !== undefined && !isModeId(mode))
      return fault(`--mode must be one of ${MODE_IDS.join(", ")}`);
    return {
      ok: true,
      arguments: {
        action: actionOf(values),
        executable: values.droid,
        model: values.model,
        mode,
        idleMinutes,
        logFile: values.log,
        json: values.json === true,
        ignored: [
          ...(values.acp === true ? ["--acp"] : []),
          ...(values.stdio === true ? ["--stdio"] : []),
          ...positionals,
        ],
      },
    };
  } catch (error) {
    return fault(toError(error).message);
  }
}

/** Just under three weeks, which is within the limit of Node's timers. */
const MAX_MINUTES = 30_000;

function actionOf(values: {
  readonly help?: boolean | undefined;
  readonly version?: boolean | undefined;
  readonly doctor?: boolean | undefined;
  readonly login?: boolean | undefined;
}): Arguments["action"] {
  if (values.help === true) return "help";
  if (values.version === true) return "version";
  if (values.doctor === true) return "doctor";
  return values.login === true ? "login" : "serve";
}

function fault(message: string): ParsedArgv {
  return { ok: false, message };
}

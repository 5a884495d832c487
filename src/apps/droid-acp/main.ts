import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { sanitize, sanitizeJson, toError } from "../../base/index.ts";
import { DroidNotFoundError, findExecutable } from "../../droid/index.ts";
import { missingDroid } from "./access.ts";
import { isModeId, MODE_IDS } from "./session/config.ts";

/** Where the program prints messages for people. While it serves, only the protocol uses stdout. */
interface AdapterOutput {
  out(text: string): void;
  err(text: string): void;
}

/** Exit codes: success, failure, invalid command line. */
const OK = 0;
const FAILED = 1;
const USAGE = 2;

export async function main(
  argv: readonly string[],
  version: string,
  terminal: AdapterOutput,
): Promise<number> {
  // Messages may quote Droid or the command line.
  const output = {
    out: (text: string) => terminal.out(sanitize(text)),
    err: (text: string) => terminal.err(sanitize(text)),
  };
  let given: Arguments;
  try {
    given = parseAdapterArgv(argv);
  } catch (error) {
    output.err(`droid-acp: ${toError(error).message}\n\n${HELP}`);
    return USAGE;
  }
  switch (given.action) {
    case "help":
      output.out(HELP);
      return OK;
    case "version":
      output.out(`${version}\n`);
      return OK;
    case "doctor":
      return doctor(given, output);
    case "login":
      return login(given, output);
    case "serve":
      return serve(given, version, output);
  }
}

async function serve(given: Arguments, version: string, output: AdapterOutput): Promise<number> {
  const { executable, model, mode, idleMs, logFile, ignored } = given;
  if (ignored.length > 0) {
    const words = ignored.join(" and ");
    output.err(`droid-acp: ignored ${words}: droid-acp always speaks ACP on stdin and stdout\n`);
  }
  try {
    const { serveStdio } = await import("./serve.ts");
    await serveStdio({ executable, model, mode, idleMs, version }, logFile);
    return OK;
  } catch (error) {
    output.err(`droid-acp: ${toError(error).message}\n`);
    return FAILED;
  }
}

async function doctor(given: Arguments, output: AdapterOutput): Promise<number> {
  const { couldWork, diagnose, report } = await import("./doctor.ts");
  const { executable, model, mode, json } = given;
  const checks = await diagnose({ executable, model, mode }, (check) => {
    if (json) output.out(`${sanitizeJson(JSON.stringify(check))}\n`);
  });
  if (!json) output.out(report(checks));
  return couldWork(checks) ? OK : FAILED;
}

/** Droid has no login command: users log in inside its terminal interface. */
async function login(given: Arguments, output: AdapterOutput): Promise<number> {
  try {
    const executable = await findExecutable(given);
    output.err("Opening Droid. Type /login and follow the steps, then type /quit.\n");
    const child = spawn(executable, [], { stdio: "inherit" });
    return await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve(code ?? FAILED));
    });
  } catch (error) {
    let { message } = toError(error);
    if (error instanceof DroidNotFoundError) {
      const { what, advice } = missingDroid(error);
      message = `${what}. ${advice}`;
    }
    output.err(`droid-acp: ${message}\n`);
    return FAILED;
  }
}

/** What to do besides serving. The first of several wins. */
const ACTIONS = ["help", "version", "doctor", "login"] as const;

type Arguments = ReturnType<typeof parseAdapterArgv>;

const HELP = `Usage: droid-acp [options]

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

/** Parses the arguments after the program name. Throws for an invalid command line. Pure. */
export function parseAdapterArgv(argv: readonly string[]) {
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
  const { mode, "idle-minutes": idle } = values;
  const unknown = positionals.find((word) => word !== "acp");
  if (unknown !== undefined) throw new Error(`Unexpected argument '${unknown}'`);
  const idleMinutes = idle === undefined ? undefined : Number(idle);
  if (idleMinutes !== undefined && !(idleMinutes >= 0 && idleMinutes <= MAX_MINUTES))
    throw new Error(`--idle-minutes must be a number from 0 to ${MAX_MINUTES}`);
  if (mode !== undefined && !isModeId(mode))
    throw new Error(`--mode must be one of ${MODE_IDS.join(", ")}`);
  return {
    action: ACTIONS.find((action) => values[action] === true) ?? ("serve" as const),
    executable: values.droid,
    model: values.model,
    mode,
    idleMs: idleMinutes === undefined ? undefined : idleMinutes * 60_000,
    logFile: values.log,
    /** Whether the doctor prints JSON. */
    json: values.json === true,
    /** The words that clients pass to other agents. They have no effect here. */
    ignored: [
      ...(values.acp === true ? ["--acp"] : []),
      ...(values.stdio === true ? ["--stdio"] : []),
      ...positionals,
    ],
  };
}

/** Just under three weeks, which is within the limit of Node's timers. */
const MAX_MINUTES = 30_000;

import { spawn } from "node:child_process";
import { sanitise, sanitiseJson, toError } from "../../base/index.ts";
import { DroidNotFoundError, findExecutable } from "../../droid/index.ts";
import { HELP, parseArgv, type Arguments } from "./argv.ts";
import { openLog } from "./log-file.ts";
import { missingDroid } from "./access.ts";

/** Where the program prints messages for people. While it serves, only the protocol uses stdout. */
interface AdapterOutput {
  out(text: string): void;
  err(text: string): void;
}

/** Exit codes: success, failure, invalid command line. */
const OK = 0;
const FAILED = 1;
const USAGE = 2;

/** Runs droid-acp. Resolves with the exit code. */
export async function main(
  argv: readonly string[],
  version: string,
  terminal: AdapterOutput,
): Promise<number> {
  // Messages may quote Droid or the command line.
  const output = {
    out: (text: string) => terminal.out(sanitise(text)),
    err: (text: string) => terminal.err(sanitise(text)),
  };
  const parsed = parseArgv(argv);
  if (!parsed.ok) {
    output.err(`droid-acp: ${parsed.message}\n\n${HELP}`);
    return USAGE;
  }
  const given = parsed.arguments;
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
  const { executable, model, mode, idleMinutes, logFile, ignored } = given;
  if (ignored.length > 0) {
    const words = ignored.join(" and ");
    output.err(`droid-acp: ignored ${words}: droid-acp always speaks ACP on stdin and stdout\n`);
  }
  try {
    const log = logFile === undefined ? undefined : await openLog(logFile);
    try {
      const { serveStdio } = await import("./serve.ts");
      await serveStdio({ executable, model, mode, idleMinutes, version }, log);
    } finally {
      await log?.close();
    }
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
    if (json) output.out(`${sanitiseJson(JSON.stringify(check))}\n`);
  });
  if (!json) output.out(report(checks));
  return couldWork(checks) ? OK : FAILED;
}

/** Droid has no login command: users log in inside its terminal interface. */
async function login(given: Arguments, output: AdapterOutput): Promise<number> {
  try {
    const executable = await findExecutable(given.executable);
    output.err("Opening Droid. Type /login and follow the steps, then type /quit.\n");
    const child = spawn(executable, [], { stdio: "inherit" });
    return await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve(code ?? FAILED));
    });
  } catch (error) {
    output.err(`droid-acp: ${loginFailure(error)}\n`);
    return FAILED;
  }
}

function loginFailure(error: unknown): string {
  if (!(error instanceof DroidNotFoundError)) return toError(error).message;
  const { what, advice } = missingDroid(error);
  return `${what}. ${advice}`;
}

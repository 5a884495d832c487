import { spawn } from "node:child_process";
import { findCommand } from "../agents/find.ts";
import type { Agent } from "../agents/select.ts";
import type { Parsed } from "../args/parse.ts";
import { CliError, EXIT, failureLine, usageError, type ExitCode } from "../exit.ts";
import type { Io } from "../io.ts";
import { sanitiseLine } from "../render/sanitise.ts";
import { chooseAgent } from "../run/choose.ts";
import { connect, during, type Connected } from "../run/connect.ts";
import { createContext, tellFailure, type Context } from "../run/context.ts";
import { READ_ONLY } from "../run/policy.ts";
import { runChild, versionOf } from "../run/child.ts";

/** One thing that was looked at. */
interface Step {
  readonly step: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly ms: number;
}

/** `dragoman doctor [agent]`: 0 only if a prompt could work. */
export async function doctorCommand({ values, words }: Parsed, io: Io): Promise<ExitCode> {
  if (words.length > 1) throw usageError("doctor takes one agent");
  const name = words[0] ?? values.text("agent");
  const context = createContext(io, values);
  const report = new Report(context);
  let connected: Connected | undefined;
  try {
    const chosen = await chooseAgent(context, name);
    const { agent } = chosen;
    await lookForCommand(report, agent, io);
    if (agent.from === "catalogue" && agent.name === "droid")
      return await droidDoctor(context, agent);
    connected = await report.run("handshake", async () => {
      const value = await connect(context, chosen, READ_ONLY);
      const { title, version, protocolVersion } = value.facts;
      return {
        value,
        detail: `${title ?? "unnamed"} ${version ?? ""}, protocol ${protocolVersion}`,
      };
    });
    const { client } = connected;
    await report.run("session", async () => {
      const methods = client.agent.authMethods.map(({ id }) => id).join(", ");
      const session = await during(context, value(connected), "session", (signal) =>
        client.newSession({ cwd: context.cwd, signal }),
      );
      const auth = methods === "" ? "no authentication needed" : "authenticated, or not needed";
      return { value: session, detail: `${auth}${methods === "" ? "" : ` (methods: ${methods})`}` };
    });
    report.conclude(`${agent.name} works`);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    tellFailure(context, error);
    return error.code;
  } finally {
    context.screen.status(undefined);
    await connected?.close();
    context.dispose();
  }
}

function value<T>(present: T | undefined): T {
  if (present === undefined) throw new Error("a step ran before the one it needs");
  return present;
}

async function lookForCommand(report: Report, agent: Agent, io: Io): Promise<void> {
  const { command, name, entry } = agent;
  // Our own two are part of this package, and so is what they are started with.
  if (entry !== undefined && typeof entry.command !== "string") return;
  const path = await report.run("command", async () => {
    const found = await findCommand(command, io);
    if (found !== undefined) return { value: found, detail: found };
    const hint = entry?.install ?? "dragoman agents";
    throw new CliError("cannotStart", {
      what: `${name} is not installed: there is no "${command}"`,
      hint,
    });
  });
  await report.run("version", async () => ({
    value: undefined,
    detail: (await versionOf(path, { ...io.env, ...agent.env })) ?? "it does not tell",
  }));
}

/** The adapter knows Droid better than any client can. */
async function droidDoctor({ io, screen }: Context, agent: Agent): Promise<ExitCode> {
  const child = spawn(agent.command, [...agent.args, "--doctor"], {
    env: { ...io.env, ...agent.env },
    cwd: io.cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = await runChild(child, {
    stdout: (text) => screen.answer(text),
    stderr: (text) => screen.storyPiece(text),
  });
  if (code === 0) return EXIT.done;
  throw new CliError("cannotStart", {
    what: "droid cannot be used yet",
    exit: `droid-acp --doctor: ${code ?? "ended by a signal"}`,
  });
}

class Report {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Does one step, and tells how it went and how long it took. */
  async run<T>(step: string, work: () => Promise<{ value: T; detail: string }>): Promise<T> {
    const { io } = this.#context;
    const startedAt = io.now();
    try {
      const { value, detail } = await work();
      this.#tell({ step, ok: true, detail, ms: io.now() - startedAt });
      return value;
    } catch (error) {
      const detail = error instanceof CliError ? failureLine(error.details) : String(error);
      this.#tell({ step, ok: false, detail, ms: io.now() - startedAt });
      throw error;
    }
  }

  conclude(text: string): void {
    if (this.#plain) this.#context.screen.answer(`${text}\n`);
  }

  get #plain(): boolean {
    return this.#context.mode === "text" || this.#context.mode === "simple";
  }

  #tell(step: Step): void {
    const { screen, mode } = this.#context;
    if (mode === "events") screen.answer(`${JSON.stringify({ v: 1, type: "doctor", ...step })}\n`);
    if (!this.#plain) return;
    const time = `${(step.ms / 1000).toFixed(2)} s`;
    const line = `${step.ok ? "ok  " : "FAIL"} ${step.step.padEnd(10)} ${time.padStart(7)}  ${sanitiseLine(step.detail)}`;
    screen.answer(`${line}\n`);
  }
}

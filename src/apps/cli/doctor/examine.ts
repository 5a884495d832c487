import type { Session } from "../../../client/index.ts";
import { installHint } from "../agents/catalogue.ts";
import { findCommand } from "../agents/installed.ts";
import type { Chosen, SelectedAgent } from "../agents/select.ts";
import type { Connect } from "../connect/run-command.ts";
import { runPhase, type RunningAgent } from "../connect/connect.ts";
import { secretHider } from "../connect/secrets.ts";
import type { Context } from "../context/context.ts";
import { READ_ONLY } from "../permissions/policy.ts";
import { cutToColumns } from "../render/terminal/columns.ts";
import { discardSession, sessionFolder, setMode, setModel } from "../session/session.ts";
import { CliError, failureLine } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import { eventLine } from "../render/json/events.ts";
import { sanitizeLine } from "../../../base/index.ts";

/** Checks the command of an agent, then starts it, or another command in its place, and opens a session. */
export async function examineAgent(
  context: Context,
  report: Report,
  { agent }: Chosen,
  started: Chosen,
  connect: Connect,
): Promise<void> {
  await checkCommand(report, agent, context.io);
  await converse(report, context, started, connect);
}

export async function converse(
  report: Report,
  context: Context,
  chosen: Chosen,
  connect: Connect,
): Promise<void> {
  const connected = await shakeHands(report, chosen, connect);
  await probeSession(report, context, connected);
}

export function shakeHands(
  report: Report,
  chosen: Chosen,
  connect: Connect,
): Promise<RunningAgent> {
  return report.run("handshake", async () => {
    const value = await connect(chosen, READ_ONLY);
    const { title, version, protocolVersion } = value.facts;
    const name = [title ?? "unnamed", version].filter(Boolean).join(" ");
    return { value, detail: `${name}, protocol ${protocolVersion}` };
  });
}

/** Programs that run other programs. Their version is not the agent's. */
const RUNNERS =
  /(?:^|[/\\])(?:node|nodejs|npx|npm|pnpm|yarn|bun|bunx|deno|python[\d.]*|uv|uvx|pipx|ruby|sh|bash|zsh|env|docker)(?:\.exe|\.cmd)?$/i;

async function checkCommand(report: Report, agent: SelectedAgent, io: Io): Promise<void> {
  const { command, name, entry } = agent;
  // The embedded agent and the program that runs it are part of this package.
  if (entry !== undefined && typeof entry.command !== "string") return;
  if (agent.remote) return;
  const path = await report.run("command", async () => {
    const found = await findCommand(command, io);
    if (found !== undefined) return { value: found, detail: found };
    const hint = entry === undefined ? "dragoman agents" : installHint(entry);
    const what = `${name} is not installed: "${command}" was not found`;
    throw new CliError("cannotStart", { what, hint });
  });
  await report.run("version", async () => {
    const { versionOf } = await import("../connect/version.ts");
    const printed = await versionOf(path, { cwd: io.cwd, env: { ...io.env, ...agent.env } });
    const version = printed && secretHider(agent, []).hideAll(printed);
    const runner = RUNNERS.test(path)
      ? " (its runtime; the handshake shows the agent's own version)"
      : "";
    return {
      value: undefined,
      detail: version === undefined ? "unknown" : version + runner,
    };
  });
}

/** A prompt that any agent answers at once and without tools. */
const QUESTION = "Reply with the word ok and nothing else. Do not use any tools.";

const SHOWN_COLUMNS = 40;

/** Opens a session, and with `--prompt` sends a prompt. Leaves no session behind where it can be deleted. */
async function probeSession(
  report: Report,
  context: Context,
  connected: RunningAgent,
): Promise<void> {
  const { client } = connected;
  const { values } = context;
  let opened: Session | undefined;
  try {
    const session = await report.run("session", async () => {
      const value = await runPhase(context, connected, "session", async (signal) => {
        const cwd = sessionFolder(context, connected);
        opened = await client.newSession({ cwd, signal });
        const [mode, model] = [values.text("mode"), values.text("model")];
        if (mode !== undefined) await setMode(opened, mode);
        if (model !== undefined) await setModel(opened, model);
        return opened;
      });
      const methods = client.agent.authMethods.map(({ id }) => id).join(", ");
      const offered = methods === "" ? "" : ` (available logins: ${methods})`;
      return { value, detail: `opened without a login${offered}` };
    });
    if (values.flag("prompt")) {
      await report.run("prompt", async () => ({
        value: undefined,
        detail: await answerOf(context, connected, session),
      }));
    }
  } finally {
    if (opened !== undefined) await discardSession(context, connected, opened);
  }
}

async function answerOf(
  context: Context,
  connected: RunningAgent,
  session: Session,
): Promise<string> {
  let text = "";
  const stopReason = await runPhase(context, connected, "turn", async (signal) => {
    const turn = session.prompt([{ type: "text", text: QUESTION }]);
    signal.addEventListener("abort", () => void turn.cancel(), { once: true });
    for await (const update of turn) if (text.length < 1000) text += update.text;
    return (await turn.result).stopReason;
  });
  const answer = text.trim().replace(/\s+/g, " ");
  if (stopReason !== "end_turn" || answer === "") {
    const how =
      answer === "" ? "without any text" : `with "${cutToColumns(answer, SHOWN_COLUMNS)}"`;
    const what = `${connected.agent.name} answered a prompt ${how} (${stopReason})`;
    throw new CliError("agentError", { what });
  }
  return `answered "${cutToColumns(answer, SHOWN_COLUMNS)}"`;
}

interface DoctorStep {
  readonly step: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly ms: number;
  /** How to improve something that works but could be better. */
  readonly advice?: string;
  /** The paths that were searched without success. */
  readonly tried?: readonly string[];
}

export class Report {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  async run<T>(step: string, work: () => Promise<{ value: T; detail: string }>): Promise<T> {
    const { io, screen } = this.#context;
    const startedAt = io.now();
    screen.status(step);
    try {
      const { value, detail } = await work();
      this.print({ step, ok: true, detail, ms: io.now() - startedAt });
      return value;
    } catch (error) {
      // The hint follows in the last line.
      const detail =
        error instanceof CliError
          ? failureLine({ ...error.details, hint: undefined })
          : String(error);
      this.print({ step, ok: false, detail, ms: io.now() - startedAt });
      throw error;
    }
  }

  print(step: DoctorStep): void {
    const { screen, mode } = this.#context;
    if (mode === "events") screen.json(eventLine("doctor", step));
    if (!this.#isForPeople) return;
    const mark = step.ok ? (step.advice === undefined ? "ok  " : "warn") : "FAIL";
    const time = `${(step.ms / 1000).toFixed(2)} s`;
    const line = `${mark} ${sanitizeLine(step.step).padEnd(10)} ${time.padStart(7)}  `;
    screen.answer(`${line}${sanitizeLine(step.detail)}\n`);
    const below = [...(step.tried ?? []).map((path) => `tried ${path}`), step.advice ?? ""];
    for (const text of below) {
      if (text !== "") screen.answer(`${" ".repeat(line.length)}${sanitizeLine(text)}\n`);
    }
  }

  /** Prints the verdict. Programs read it from the exit code instead. */
  conclude(text: string): void {
    if (this.#isForPeople) this.#context.screen.answer(`${sanitizeLine(text)}\n`);
  }

  get #isForPeople(): boolean {
    return this.#context.mode === "text" || this.#context.mode === "simple";
  }
}

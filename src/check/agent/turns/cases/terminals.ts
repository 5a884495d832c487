import { join } from "node:path";
import { describeReply, isAnswered, shown } from "../../../harness/reply.ts";
import { type AgentCheck, evidence } from "../../agent-check.ts";
import type { AgentCase } from "../../case.ts";
import type { ClientTerminal } from "../client/terminals.ts";
import { callsOf } from "../facts.ts";
import { runningTurn } from "../moments.ts";
import { Stage } from "../stage.ts";
import { untilTrue } from "../wait.ts";

const FILES = { fs: { readTextFile: true, writeTextFile: true } };

const notOffered: AgentCase = {
  name: "terminals/not-offered",
  ids: ["ACP-CLIENTCAP-002"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: FILES });
    const session = await stage.session();
    const turn = await stage.turn(session, { acts: [{ tool: "shell", command: "echo hello" }] });
    const wrong = stage.link.requests.find(({ method }) => method.startsWith("terminal/"));
    const hasActed =
      callsOf(stage.link, session.id, turn.n).length > 0 || turn.end.kind === "result";
    if (!hasActed && !wrong) return;
    check.judge("ACP-CLIENTCAP-002", !wrong, "a scripted command without terminals", {
      expected: "no terminal method to a client that offers no terminals",
      actual: `${wrong?.method} was called`,
      frames: evidence(stage.link, ...(wrong ? [wrong.n] : []), turn.end),
    });
  },
};

const used: AgentCase = {
  name: "terminals/used",
  ids: ["DRA-TERM-01", "DRA-TERM-03", "DRA-TERM-04"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    const session = await stage.session();
    const acts = [{ tool: "shell", command: "echo hello; exit 3" }] as const;
    const before = stage.model?.calls.length ?? 0;
    const turn = await stage.turn(session, { acts });
    const [terminal] = stage.terminals.all;
    if (!terminal) {
      for (const id of used.ids)
        check.untested(id, "the agent does not use the client's terminals");
      return;
    }
    judgeCommand(check, stage, terminal);
    await judgeReleased(check, stage, "after a command that failed");
    judgeKnown(check, stage, before, turn.n);
    if (stage.model) await judgeEndings(check, stage);
    await judgeRefused(check, stage);
    await judgeCancelled(check, stage);
  },
};

/** TERM-03: the command is a program, not a line for a shell. */
function judgeCommand(check: AgentCheck, { link }: Stage, terminal: ClientTerminal): void {
  const { command, args, n } = terminal;
  const isLine = args.length === 0 && /[\s|&;<>$`]/.test(command);
  check.judge("DRA-TERM-03", !isLine, `command ${command}`, {
    expected: "a program as the command, with its arguments in args",
    actual: `the command ${JSON.stringify(command)} without arguments`,
    frames: evidence(link, n),
  });
}

/** TERM-01: every terminal is released once, and not used afterwards. */
async function judgeReleased(check: AgentCheck, stage: Stage, what: string): Promise<void> {
  const { terminals, link } = stage;
  await untilTrue(() => terminals.all.every(({ released }) => released > 0), check.pace.answerMs);
  await link.barrier();
  const wrong = terminals.all.find(
    ({ released, usedAfterRelease }) => released !== 1 || usedAfterRelease.length > 0,
  );
  check.judge("DRA-TERM-01", !wrong, `released ${what}`, {
    expected: `each terminal released once ${what}, and not used afterwards`,
    actual: wrong
      ? `released ${wrong.released} times; used afterwards: ${wrong.usedAfterRelease.join(", ") || "never"}`
      : "",
    frames: wrong ? evidence(link, wrong.n) : [],
  });
}

/** Ends of a command that the model must be able to tell from an ordinary one with the same output. */
const ENDINGS = [
  { what: "the signal", exit: { exitCode: null, signal: "SIGTERM" }, truncated: false },
  { what: "the truncation", exit: { exitCode: 0, signal: null }, truncated: true },
] as const;
const ORDINARY = { exit: { exitCode: 0, signal: null }, truncated: false } as const;

/** TERM-04: the signal and the truncation change the result for the model. */
async function judgeEndings(check: AgentCheck, stage: Stage): Promise<void> {
  const plain = await resultOf(stage, ORDINARY);
  for (const { what, ...ending } of ENDINGS) {
    const { result, n } = await resultOf(stage, ending);
    if (plain.result === undefined || result === undefined) continue;
    check.judge("DRA-TERM-04", result !== plain.result, `${what} reached the model`, {
      expected: `${what} in the result for the model`,
      actual: `the same result as without it: ${shown(result)}`,
      frames: evidence(stage.link, n),
    });
  }
}

/** The result that the model gets for a command whose end the client reports like this. */
async function resultOf(
  stage: Stage,
  { exit, truncated }: Pick<(typeof ENDINGS)[number], "exit" | "truncated"> | typeof ORDINARY,
): Promise<{ readonly result: string | undefined; readonly n: number }> {
  const session = await stage.session();
  const before = stage.model?.calls.length ?? 0;
  stage.intercept = ({ method }) => {
    if (method === "terminal/wait_for_exit") return { result: exit };
    if (method !== "terminal/output") return undefined;
    return { result: { output: "hello\n", truncated, exitStatus: exit } };
  };
  const acts = [{ tool: "shell", command: "echo hello" }] as const;
  const { n, end } = await stage.turn(session, { acts });
  stage.intercept = undefined;
  const last = end.kind === "result" ? resultsAfter(stage, before).at(-1) : undefined;
  return { result: last?.text, n };
}

/** The results of tools that the model got in its calls after a position. */
function resultsAfter({ model }: Stage, before: number): readonly { readonly text: string }[] {
  const calls = model?.calls.slice(before) ?? [];
  return calls.flatMap(({ messages }) => messages.flatMap(({ toolResults }) => toolResults));
}

/** TERM-04: the exit code reaches the model. */
function judgeKnown(check: AgentCheck, stage: Stage, before: number, n: number): void {
  const results = resultsAfter(stage, before);
  if (results.length === 0) return;
  const isKnown = results.some(({ text }) => /\b3\b/.test(text));
  check.judge("DRA-TERM-04", isKnown, "the exit code reached the model", {
    expected: "the exit code 3 in the result for the model",
    actual: JSON.stringify(results.at(-1)?.text),
    frames: evidence(stage.link, n),
  });
}

/** TERM-04: a refused terminal fails the tool, not the turn. */
async function judgeRefused(check: AgentCheck, stage: Stage): Promise<void> {
  const session = await stage.session();
  stage.intercept = ({ method }) =>
    method === "terminal/create"
      ? { error: { code: -32603, message: "no terminal is left" } }
      : undefined;
  const turn = await stage.turn(session, { acts: [{ tool: "shell", command: "echo hello" }] });
  stage.intercept = undefined;
  if (stage.requests("terminal/create", turn.n).length === 0) return;
  const calls = callsOf(stage.link, session.id, turn.n);
  const isFailed = calls.length === 0 || calls.some(({ status }) => status === "failed");
  check.judge("DRA-TERM-04", turn.end.kind === "result" && isFailed, "a refused terminal", {
    expected: "a failed tool call, and the turn to go on, when the client refuses a terminal",
    actual: `${describeReply(turn.end)}; tool calls: ${calls.map(({ status }) => status).join(", ")}`,
    frames: evidence(stage.link, turn.n, turn.end),
  });
  if (!isAnswered(turn.end)) stage.cancel(session);
}

async function judgeCancelled(check: AgentCheck, stage: Stage): Promise<void> {
  const session = await stage.session();
  const turn = await runningTurn(stage, session, join(session.cwd, "pid.txt"));
  stage.cancel(session);
  await stage.endOf(turn);
  await judgeReleased(check, stage, "after a cancel");
}

export const terminalCases: readonly AgentCase[] = [notOffered, used];

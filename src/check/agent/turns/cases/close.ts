import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { numberField } from "../../../../wire/index.ts";
import { Unmet } from "../../../harness/errors.ts";
import { describeReply } from "../../../harness/reply.ts";
import { type AgentCheck, evidence } from "../../agent-check.ts";
import type { AgentCase } from "../../case.ts";
import { started, stdioProbe } from "../mcp/probe.ts";
import { ifUnmet, runningTurn, streamingTurn } from "../moments.ts";
import { Stage, type StageSession, stopReasonOf } from "../stage.ts";
import { isRunning, untilTrue } from "../wait.ts";

const running: AgentCase = {
  name: "close/running-turn",
  ids: ["ACP-CLOSE-002"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    const session = await stage.session();
    const turn = await streamingTurn(stage, session);
    const { reply } = stage.link.begin("session/close", { sessionId: session.id });
    const end = await stage.endOf(turn);
    const closed = await reply;
    check.judge("ACP-CLOSE-002", stopReasonOf(end) === "cancelled", "cancelled by the close", {
      expected: "the stop reason cancelled for the running prompt",
      actual: `${describeReply(end)}; session/close: ${describeReply(closed)}`,
      frames: evidence(stage.link, turn.n, closed, end),
    });
  },
};

const resources: AgentCase = {
  name: "close/resources",
  ids: ["DRA-CLOSE-01"],
  process: "fresh",
  needs: "model",
  isAboutProcess: true,
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
    const probe = await stdioProbe((await check.place()).root, "closed");
    const session = await stage.session({}, { mcpServers: [probe.config] });
    // The first turn at the latest starts the servers.
    await stage.turn(session);
    const server = numberField(started(await probe.events()) ?? {}, "pid");
    const shell = await runningShell(stage, session);
    const closed = await stage.link.request("session/close", { sessionId: session.id });
    if (closed.kind !== "result") throw new Unmet(`session/close: ${describeReply(closed)}`);
    await judgeEnded(check, stage, "its MCP server", server, closed.n);
    await judgeEnded(check, stage, "its command", shell, closed.n);
    const prompt = [{ type: "text", text: "Hello?" }];
    const later = await stage.link.request(
      "session/prompt",
      { sessionId: session.id, prompt },
      { limitMs: check.pace.turnMs },
    );
    check.judge("DRA-CLOSE-01", later.kind === "error", "a later prompt is an error", {
      expected: "an error for a prompt after the close",
      actual: describeReply(later),
      frames: evidence(stage.link, closed, later),
    });
  },
};

/** The id of the process of a running command; undefined if the agent cannot run one by itself. */
async function runningShell(stage: Stage, session: StageSession): Promise<number | undefined> {
  const file = join(session.cwd, "pid.txt");
  const turn = await runningTurn(stage, session, file).catch(ifUnmet);
  return turn && Number(await readFile(file, "utf8"));
}

async function judgeEnded(
  check: AgentCheck,
  { link }: Stage,
  what: string,
  pid: number | undefined,
  at: number,
): Promise<void> {
  if (pid === undefined) return;
  const isOver = await untilTrue(() => !isRunning(pid), check.pace.exitMs);
  check.judge("DRA-CLOSE-01", isOver, `${what} ended`, {
    expected: `${what} to end when the session is closed`,
    actual: `${what} still runs`,
    frames: evidence(link, at),
  });
}

export const closeCases: readonly AgentCase[] = [running, resources];

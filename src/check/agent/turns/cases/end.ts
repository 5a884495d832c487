import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { text } from "../../../../model/index.ts";
import { describeExit, within } from "../../../../wire/index.ts";
import { Unmet } from "../../../harness/errors.ts";
import { describeReply } from "../../../harness/reply.ts";
import { type AgentCheck, evidence } from "../../agent-check.ts";
import type { AgentCase } from "../../case.ts";
import { chunksOf } from "../facts.ts";
import { stdioProbe } from "../mcp/probe.ts";
import { modelCase } from "../model-case.ts";
import { askingTurn, type HeldTurn, ifUnmet, runningTurn, streamingTurn } from "../moments.ts";
import { Stage, type StageSession } from "../stage.ts";
import { untilTrue, valueWithin } from "../wait.ts";

const PIECES = 400;
/** Droid 0.225.2 breaks off and repeats an answer that repeats itself, so each sentence differs. */
function flood(): string {
  const sentence = (at: number): string => `Sentence ${at} is about ${(at * 7919) % 10_007}. `;
  return Array.from({ length: 50 * PIECES }, (_, at) => sentence(at)).join("");
}

const NOT_READ_MS = 5000;
/** The system takes the model's whole answer into its buffers, and the agent may get it only later. */
const LEAST_NOT_READ_MS = 1000;

const notRead = modelCase({
  name: "robustness/unread-output",
  ids: ["DRA-ROB-04"],
  process: "fresh",
  isAboutProcess: true,
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
    const model = stage.needModel();
    const control = stage.link.transport.process;
    if (!control) throw new Unmet("needs the agent's process");
    const session = await stage.session();
    const sent = flood();
    const before = model.calls.length;
    const turn = stage.begin(session, {
      ending: [text(sent, { chunks: PIECES })],
      limitMs: NOT_READ_MS + 4 * check.pace.turnMs,
    });
    control.pause();
    await untilTrue(() => model.calls.length > before, check.pace.turnMs);
    const call = model.calls[before];
    // An agent that waits for its reader makes the model wait too.
    if (call) await valueWithin(call.ended, NOT_READ_MS);
    await pause(LEAST_NOT_READ_MS);
    control.resume();
    const end = await turn.reply;
    await stage.link.barrier();
    const said = chunksOf(stage.link, session.id, "agent_message_chunk", turn.n);
    if (model.calls.length > before + 1) throw new Unmet("the agent called the model again");
    check.judge("DRA-ROB-04", said === sent, `${sent.length} characters`, {
      expected: `all ${sent.length} characters after a pause of the reader`,
      actual: `${said.length} characters; ${describeReply(end)}`,
      frames: evidence(stage.link, turn.n, end),
    });
  },
});

const MOMENTS: readonly {
  readonly what: string;
  readonly reach: (stage: Stage, session: StageSession) => Promise<HeldTurn>;
}[] = [
  { what: "during a turn", reach: (stage, session) => streamingTurn(stage, session) },
  { what: "while permission is requested", reach: askingTurn },
];

const inputEnds: AgentCase = {
  name: "shutdown/during-a-turn",
  ids: ["DRA-END-01"],
  process: "fresh",
  needs: "model",
  isAboutProcess: true,
  run: async (check) => {
    for (const { what, reach } of MOMENTS) {
      const stage = await Stage.open(check);
      const session = await stage.session();
      const turn = await reach(stage, session).catch(ifUnmet);
      if (!turn) continue;
      await judgeExit(check, stage, what, turn.n);
      await stage.link.transport.end();
    }
  },
};

async function judgeExit(
  check: AgentCheck,
  { link }: Stage,
  what: string,
  at: number,
): Promise<void> {
  const control = link.transport.process;
  if (!control) throw new Unmet("needs the agent's process");
  control.endInput();
  const hasExited = await within(control.exited, check.pace.exitMs);
  const how = hasExited ? describeExit(await control.exited) : "";
  check.judge("DRA-END-01", hasExited, `${what}: ${how}`, {
    expected: `the agent to exit when its stdin is closed ${what}`,
    actual: `it still runs after ${Math.round(check.pace.exitMs)} ms`,
    frames: evidence(link, at),
  });
}

const orphans: AgentCase = {
  name: "shutdown/orphans",
  ids: ["DRA-END-02"],
  process: "fresh",
  needs: "model",
  isAboutProcess: true,
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
    const control = stage.link.transport.process;
    if (!control) throw new Unmet("needs the agent's process");
    const probe = await stdioProbe((await check.place()).root, "left");
    const session = await stage.session({}, { mcpServers: [probe.config] });
    await stage.turn(session);
    const running = await runningTurn(stage, session, join(session.cwd, "pid.txt")).catch(ifUnmet);
    const n = running?.n ?? stage.link.frames.length;
    const before = await control.pids();
    if (before.length < 2) throw new Unmet("the agent started no process of its own");
    control.endInput();
    await within(control.exited, check.pace.exitMs);
    const isClean = await untilTrue(
      async () => (await control.pids()).length === 0,
      check.pace.exitMs,
    );
    const left = (await control.pids()).length;
    check.judge("DRA-END-02", isClean, `all of ${before.length} processes ended`, {
      expected: "no process left after stdin was closed: no command, no MCP server",
      actual: `${left} of ${before.length} processes still run`,
      frames: evidence(stage.link, n),
    });
  },
};

export const endCases: readonly AgentCase[] = [notRead, inputEnds, orphans];

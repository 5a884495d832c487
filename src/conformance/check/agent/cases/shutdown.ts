import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { text } from "../../../model/index.ts";
import { within } from "../../../../base/index.ts";
import { Unmet } from "../../harness/errors.ts";
import type { SubjectLink } from "../../harness/link.ts";
import { needResult } from "../../harness/reply.ts";
import type { ProcessControl } from "../../harness/transport.ts";
import type { AgentCheck } from "../agent-check.ts";
import { type AgentCase, agentCase, bareStageCase, aboutProcess } from "../case.ts";
import { beforeLoad, load, untilSaved } from "../conversation.ts";
import { stdioProbe } from "../stage/mcp-probes.ts";
import {
  askingTurn,
  type HeldTurn,
  ifUnmet,
  runningTurn,
  streamingTurn,
} from "../stage/moments.ts";
import { Stage, type StageSession } from "../stage/stage.ts";
import { untilTrue, valueWithin } from "../stage/wait.ts";

function controlOf(link: SubjectLink): ProcessControl {
  const { process: control } = link.transport;
  if (!control) throw new Unmet("the run did not start the agent");
  return control;
}

async function exitOf(
  check: AgentCheck,
  control: ProcessControl,
): Promise<{ readonly hasExited: boolean; readonly words: string }> {
  const started = performance.now();
  const hasExited = await within(control.exited, check.pace.exitMs);
  const ms = Math.round(performance.now() - started);
  if (!hasExited) return { hasExited, words: `still running after ${ms} ms` };
  const { code, signal } = await control.exited;
  return { hasExited, words: `exit ${signal ?? code} after ${ms} ms` };
}

/** Processes that are left. Children may need a moment to notice the end of their parent. */
async function leftOver(check: AgentCheck, control: ProcessControl): Promise<readonly number[]> {
  let left: readonly number[] = [];
  await untilTrue(async () => {
    left = await control.pids();
    return left.length === 0;
  }, check.pace.exitMs);
  return left;
}

const eof = agentCase("shutdown/stdin", ["ACP-SHUTDOWN-001"], async (check) => {
  // Programs that an agent starts for a session can keep it running.
  for (const what of ["without a session", "with an open session"]) {
    const { link } = await check.open({});
    if (what === "with an open session") await check.session(link);
    const control = controlOf(link);
    control.endInput();
    const { hasExited, words } = await exitOf(check, control);
    check.judge("ACP-SHUTDOWN-001", hasExited, what, words);
    if (!hasExited) return;
  }
});

const ENDS: readonly (readonly [what: string, end: (link: SubjectLink) => void])[] = [
  ["SIGTERM", (link) => controlOf(link).signal("SIGTERM")],
  [
    "closed stdout",
    (link) => {
      controlOf(link).closeOutput();
      // The agent notices when it writes.
      link.begin("_dragoman/unread", {}, { limitMs: 0 });
      controlOf(link).endInput();
    },
  ],
];

const term = agentCase("shutdown/signal", ["DRA-END-03"], async (check) => {
  for (const [what, end] of ENDS) {
    const { link } = await check.open({});
    const control = controlOf(link);
    end(link);
    const { hasExited, words } = await exitOf(check, control);
    const left = hasExited ? await leftOver(check, control) : [];
    const isKept = hasExited && left.length === 0;
    check.judge("DRA-END-03", isKept, what, words, `${left.length} processes are left`);
    if (!isKept) return;
  }
});

const saved = agentCase("shutdown/saved", ["DRA-END-04"], async (check) => {
  const words = "Hello, remember the word nutmeg.";
  const first = await check.open({});
  const cwd = await check.workspace();
  const sessionId = await check.session(first.link, cwd);
  const turn = await check.prompt(first.link, sessionId, words);
  controlOf(first.link).endInput();
  needResult(turn, "no prompt works");
  await check.leave(first.link);
  await untilSaved(check, words);
  await beforeLoad(check);
  const { link } = await check.open({});
  const reply = await load({ link, sessionId, cwd });
  await link.barrier();
  const said = link.textOf(sessionId, "user_message_chunk");
  const isThere = reply.kind === "result" && said.includes(words);
  check.judge("DRA-END-04", isThere, reply, said === "" ? "nothing was replayed" : said);
});

const PIECES = 400;
/** Droid 0.225.2 breaks off and repeats an answer that repeats itself, so each sentence differs. */
function flood(): string {
  const sentence = (at: number): string => `Sentence ${at} is about ${(at * 7919) % 10_007}. `;
  return Array.from({ length: 50 * PIECES }, (_, at) => sentence(at)).join("");
}

const NOT_READ_MS = 5000;
/** The system takes the model's whole answer into its buffers, and the agent may get it only later. */
const LEAST_NOT_READ_MS = 1000;

const notRead = bareStageCase("robustness/unread-output", ["DRA-ROB-04"], async (check, stage) => {
  const model = stage.needModel();
  const control = controlOf(stage.link);
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
  const said = stage.said(turn);
  if (model.calls.length > before + 1) throw new Unmet("the agent called the model again");
  const words = `${said.length} of ${sent.length} characters after a pause of the reader`;
  check.judge("DRA-ROB-04", said === sent, words, end);
});

const MOMENTS: readonly {
  readonly what: string;
  readonly reach: (stage: Stage, session: StageSession) => Promise<HeldTurn>;
}[] = [
  { what: "during a turn", reach: (stage, session) => streamingTurn(stage, session) },
  { what: "while permission is requested", reach: askingTurn },
];

const inputEnds = agentCase("shutdown/during-a-turn", ["DRA-END-01"], async (check) => {
  for (const { what, reach } of MOMENTS) {
    const stage = await Stage.open(check);
    const session = await stage.session();
    const turn = await reach(stage, session).catch(ifUnmet);
    if (!turn) continue;
    const control = controlOf(stage.link);
    control.endInput();
    const { hasExited, words } = await exitOf(check, control);
    check.judge("DRA-END-01", hasExited, what, words, turn.frame);
    await stage.link.transport.end();
  }
});

const orphans = bareStageCase("shutdown/orphans", ["DRA-END-02"], async (check, stage) => {
  const control = controlOf(stage.link);
  const probe = await stdioProbe((await check.place()).root, "left");
  const session = await stage.session({}, { mcpServers: [probe.config] });
  await stage.turn(session);
  const running = await runningTurn(stage, session, join(session.cwd, "pid.txt")).catch(ifUnmet);
  const last = running?.frame ?? stage.link.frames.at(-1);
  const before = await control.pids();
  if (before.length < 2) throw new Unmet("the agent started no process of its own");
  control.endInput();
  await within(control.exited, check.pace.exitMs);
  const left = await leftOver(check, control);
  const words = `${left.length} of ${before.length} processes still run`;
  check.judge("DRA-END-02", left.length === 0, words, last);
});

export const shutdownCases: readonly AgentCase[] = aboutProcess(eof, term, saved);
export const endCases: readonly AgentCase[] = aboutProcess(notRead, inputEnds, orphans);

import { within } from "../../../wire/index.ts";
import { Unmet } from "../../harness/errors.ts";
import type { SubjectLink } from "../../harness/link.ts";
import { describeReply } from "../../harness/reply.ts";
import type { ProcessControl } from "../../harness/transport.ts";
import { type AgentCheck, evidence } from "../agent-check.ts";
import type { AgentCase } from "../case.ts";
import { conversationOf, load, prepareLoad, textOf } from "../conversation.ts";
import { untilTrue } from "../turns/wait.ts";

function controlOf(link: SubjectLink): ProcessControl {
  const { process: control } = link.transport;
  if (!control) throw new Unmet("the run did not start the agent");
  return control;
}

/** Waits for a process to exit. */
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

const eof: AgentCase = {
  name: "shutdown/stdin",
  ids: ["ACP-SHUTDOWN-001"],
  process: "fresh",
  needs: "none",
  isAboutProcess: true,
  run: async (check) => {
    const idle = await check.open({});
    if (!(await judgeInputEnd(check, idle.link, ""))) return;
    // Programs that an agent starts for a session can keep it running.
    const used = await check.open({});
    await check.session(used.link);
    await judgeInputEnd(check, used.link, " with an open session");
  },
};

async function judgeInputEnd(check: AgentCheck, link: SubjectLink, when: string): Promise<boolean> {
  const control = controlOf(link);
  control.endInput();
  const { hasExited, words } = await exitOf(check, control);
  check.judge("ACP-SHUTDOWN-001", hasExited, `${words}${when}`, {
    expected: `the agent exits${when} when its stdin is closed`,
    actual: words,
  });
  return hasExited;
}

const term: AgentCase = {
  name: "shutdown/signal",
  ids: ["DRA-END-03"],
  process: "fresh",
  needs: "none",
  isAboutProcess: true,
  run: async (check) => {
    const signalled = await check.open({});
    const isKept = await judgeEnd(check, signalled.link, "SIGTERM", (control) =>
      control.signal("SIGTERM"),
    );
    if (!isKept) return;
    const unread = await check.open({});
    await judgeEnd(check, unread.link, "closed stdout", (control) => {
      control.closeOutput();
      // The agent notices when it writes.
      unread.link.begin("_dragoman/unread", {}, { limitMs: 0 });
      control.endInput();
    });
  },
};

async function judgeEnd(
  check: AgentCheck,
  link: SubjectLink,
  what: string,
  act: (control: ProcessControl) => void,
): Promise<boolean> {
  const control = controlOf(link);
  act(control);
  const { hasExited, words } = await exitOf(check, control);
  const left = hasExited ? await leftOver(check, control) : [];
  const isKept = hasExited && left.length === 0;
  check.judge("DRA-END-03", isKept, `${what}: ${words}`, {
    expected: `the agent and all its processes end after ${what}`,
    actual: hasExited ? `${left.length} processes are left` : words,
  });
  return isKept;
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

const saved: AgentCase = {
  name: "shutdown/saved",
  ids: ["DRA-END-04"],
  process: "fresh",
  needs: "prompt",
  isAboutProcess: true,
  run: async (check) => {
    const words = "Hello, remember the word nutmeg.";
    const first = await check.open({});
    const cwd = await check.workspace();
    const sessionId = await check.session(first.link, cwd);
    const turn = await check.prompt(first.link, sessionId, words);
    const control = controlOf(first.link);
    control.endInput();
    if (turn.kind !== "result") throw new Unmet(`no prompt works: ${describeReply(turn)}`);
    await exitOf(check, control);
    await first.link.transport.end();
    await prepareLoad(check, words);
    const { link } = await check.open({});
    const reply = await load(link, sessionId, cwd);
    await link.barrier();
    const said = textOf(conversationOf(link, sessionId, 0), "user_message_chunk");
    check.judge(
      "DRA-END-04",
      reply.kind === "result" && said.includes(words),
      "the turn is there",
      {
        expected: "the turn is replayed after stdin was closed right after its response",
        actual: reply.kind === "result" ? "the prompt is not in the replay" : describeReply(reply),
        frames: evidence(link, reply),
      },
    );
  },
};

export const shutdownCases: readonly AgentCase[] = [eof, term, saved];

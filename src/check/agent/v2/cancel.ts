import { join } from "node:path";
import { hang, text } from "../../../model/index.ts";
import { type JsonObject, within } from "../../../wire/index.ts";
import { Unmet } from "../../harness/errors.ts";
import { describeReply, shown } from "../../harness/reply.ts";
import { type AgentCheck, evidence } from "../agent-check.ts";
import type { AgentCase } from "../case.ts";
import { promptFor, stepsFor } from "../turns/provoke/act.ts";
import { parsePrompts } from "../turns/provoke/prompts.ts";
import { session2, type Session2, stateIn, untilIdle } from "./turns.ts";

const IDS = [
  "ACP-CANCEL-201",
  "ACP-CANCEL-202",
  "ACP-CANCEL-203",
  "ACP-CANCEL-204",
  "ACP-CANCEL-205",
  "ACP-CANCEL-206",
  "ACP-CANCEL-207",
];

/** Begins a turn that does not end by itself soon. Returns the position of its prompt. */
async function slowTurn(check: AgentCheck, { link, sessionId }: Session2): Promise<number> {
  const limitMs = check.pace.turnMs;
  const begin = (words: string): number =>
    link.begin(
      "session/prompt",
      { sessionId, prompt: [{ type: "text", text: words }] },
      { limitMs },
    ).n;
  if (check.run.usesModel) {
    const gate = hang();
    (await check.model()).push([text("I am working on it."), gate, text(" The end.")]);
    const n = begin("Please go on.");
    if (!(await within(gate.arrived, limitMs))) throw new Unmet("the agent did not call the model");
    return n;
  }
  const { slow } = parsePrompts(check.run.prompts ?? {});
  if (slow === undefined) throw new Unmet('needs the prompt "slow"');
  const n = begin(slow);
  const spoken = await link.until(
    () => link.updates(sessionId, n).some(({ update }) => isSpeech(update)),
    { after: n, limitMs },
  );
  if (!spoken) throw new Unmet("the slow prompt showed nothing");
  return n;
}

function isSpeech({ sessionUpdate }: JsonObject): boolean {
  return typeof sessionUpdate === "string" && sessionUpdate.startsWith("agent_");
}

const cancelled: AgentCase = {
  name: "v2/cancel",
  ids: IDS,
  process: "fresh",
  needs: "model",
  run: async (check) => {
    for (const extra of [{}, { _meta: { traceparent: "none" } }]) await cancelOnce(check, extra);
  },
};

async function cancelOnce(check: AgentCheck, extra: JsonObject): Promise<void> {
  const session = await session2(check);
  const { link, sessionId } = session;
  const prompt = await slowTurn(check, session);
  const started = performance.now();
  const n = link.notify("session/cancel", { sessionId, ...extra });
  const idle = await untilIdle(check, session, n);
  const ms = Math.round(performance.now() - started);
  const reason = idle && stateIn(idle, sessionId)?.["stopReason"];
  const frames = [...evidence(link, n), ...(idle ? [idle] : [])];
  const isCancelled = reason === "cancelled";
  const violated = {
    expected: "idle with the stop reason cancelled",
    actual: idle ? `the stop reason ${shown(reason)}` : "no idle before the limit of the turn",
    frames,
  };
  check.judge("ACP-CANCEL-201", isCancelled, "idle, cancelled", violated);
  check.judge("ACP-CANCEL-206", isCancelled, `cancel with ${shown(extra)}`, violated);
  check.pass("ACP-CANCEL-204", `idle after ${ms} ms`);
  const isKnown = typeof reason === "string" && (reason.startsWith("_") || KNOWN.has(reason));
  if (idle) check.judge("ACP-CANCEL-207", isKnown, shown(reason), violated);
  await link.barrier();
  judgeAfter(check, session, prompt, n, idle?.n);
}

const KNOWN = new Set([
  "cancelled",
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "error",
]);

function judgeAfter(
  check: AgentCheck,
  { link, sessionId }: Session2,
  prompt: number,
  cancel: number,
  idle: number | undefined,
): void {
  const failure = link
    .received(prompt)
    .find(({ message }) => message.kind === "error" && message.id !== null && isPrompt(message.id));
  const ended = idle === undefined ? undefined : link.frames[idle - 1];
  const reason = ended && stateIn(ended, sessionId)?.["stopReason"];
  check.judge("ACP-CANCEL-203", !failure && reason !== "error", "no error", {
    expected: "no error for a cancelled prompt",
    actual: failure ? "an error" : `the stop reason ${shown(reason)}`,
    frames: failure ? [failure] : evidence(link, cancel),
  });
  const answers = link
    .received(cancel)
    .filter(({ message }) => "id" in message && message.id === null);
  check.judge("ACP-CANCEL-205", answers.length === 0, "no response", {
    expected: "no response to session/cancel",
    actual: `${answers.length} responses`,
    frames: [...evidence(link, cancel), ...answers],
  });
  if (idle === undefined) return;
  const late = link
    .updates(sessionId, idle)
    .filter(({ update }) => isSpeech(update) || isState(update));
  check.judge("ACP-CANCEL-202", late.length === 0, "nothing after the idle", {
    expected: "no message or state after the idle",
    actual: `${late.length} updates`,
    frames: evidence(link, idle, ...late.slice(0, 2).map((one) => one.n)),
  });

  function isPrompt(id: unknown): boolean {
    const frame = link.frames[prompt - 1];
    return frame?.message.kind === "request" && frame.message.id === id;
  }
}

function isState({ sessionUpdate }: JsonObject): boolean {
  return sessionUpdate === "state_update";
}

const closed: AgentCase = {
  name: "v2/close",
  ids: ["ACP-CANCEL-208"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const session = await session2(check);
    const { link, sessionId } = session;
    const n = await slowTurn(check, session);
    const reply = await link.request("session/close", { sessionId });
    if (reply.kind !== "result") throw new Unmet(`session/close failed: ${describeReply(reply)}`);
    const idle = await untilIdle(check, session, n);
    const reason = idle && stateIn(idle, sessionId)?.["stopReason"];
    check.judge("ACP-CANCEL-208", reason === "cancelled", "idle, cancelled", {
      expected: "idle with the stop reason cancelled",
      actual: idle ? `the stop reason ${shown(reason)}` : "no idle",
      frames: [...evidence(link, reply), ...(idle ? [idle] : [])],
    });
  },
};

/** A prompt that makes the agent ask for permission. */
async function askingWords(check: AgentCheck, { cwd }: Session2): Promise<string> {
  const act = { tool: "write", path: join(cwd, "asked.txt"), content: "asked" } as const;
  if (check.run.usesModel) {
    const steps = stepsFor(act, check.run.subject.recipe?.tools, () => {});
    (await check.model()).push(...steps, text("Done."));
    return "Please go on.";
  }
  const prompts = parsePrompts(check.run.prompts ?? {});
  const words = promptFor(act, prompts) ?? prompts.ask;
  if (words === undefined) throw new Unmet('needs the prompt "write" or "ask"');
  return words;
}

const outcomes: AgentCase = {
  name: "v2/outcome",
  ids: ["ACP-ENUM-203"],
  process: "fresh",
  needs: "model",
  isTraffic: true,
  run: async (check) => {
    const session = await session2(check);
    const { link, sessionId } = session;
    const prompt = [{ type: "text", text: await askingWords(check, session) }];
    link.handle("session/request_permission", () => "hold");
    const { n, reply } = link.begin(
      "session/prompt",
      { sessionId, prompt },
      { limitMs: check.pace.turnMs },
    );
    const request = await link.untilRequest("session/request_permission", {
      after: n,
      limitMs: check.pace.turnMs,
    });
    if (!request) throw new Unmet("the agent never asked for permission");
    // Gives the agent the time to report that it waits.
    await link.barrier();
    await request.answer({ result: { outcome: { outcome: "_later" } } });
    const idle = await untilIdle(check, session, request.n);
    check.judge("ACP-ENUM-203", idle !== undefined && !link.end, "the turn ends", {
      expected: "the turn ends although the outcome is unknown",
      actual: link.end ? `the agent ${link.end.how}` : describeReply(await reply),
      frames: evidence(link, request.n),
    });
  },
};

export const cancel2Cases: readonly AgentCase[] = [cancelled, closed, outcomes];

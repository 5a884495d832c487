import { join } from "node:path";
import { text } from "../../../../model/index.ts";
import { asObject, type JsonObject, objectsField, stringField } from "../../../../wire/index.ts";
import { Unmet } from "../../../harness/errors.ts";
import { describeReply, needResult, type CallReply, shown } from "../../../harness/reply.ts";
import { type AgentCheck, evidence } from "../../agent-check.ts";
import type { AgentCase } from "../../case.ts";
import { PERMISSION } from "../client/permissions.ts";
import { callsOf, chunksOf } from "../facts.ts";
import { modelCase } from "../model-case.ts";
import { ifUnmet } from "../moments.ts";
import { Stage, type StageSession } from "../stage.ts";
import { exists, untilTrue } from "../wait.ts";

const USER_WORD = "Please remember the word abracadabra.";
const AGENT_WORD = "I will remember the plugh.";

interface Seeded {
  readonly session: StageSession;
  readonly toolCalls: number;
}

/** A session with one turn: the user's text, a tool call and the agent's text. Its process has ended. */
async function seed(check: AgentCheck): Promise<Seeded> {
  const stage = await Stage.open(check);
  stage.needModel();
  const session = await stage.session({ "known.txt": "known\n" });
  const { end, n } = await stage.turn(session, {
    blocks: [{ type: "text", text: USER_WORD }],
    acts: [{ tool: "read", path: join(session.cwd, "known.txt") }],
    ending: [text(AGENT_WORD)],
  });
  if (end.kind !== "result") throw new Unmet(`the first turn failed: ${describeReply(end)}`);
  const toolCalls = callsOf(stage.link, session.id, n).length;
  const { recipe } = check.run.subject;
  const { home } = await check.place();
  // Some agents answer a prompt before they save it.
  await untilTrue(
    async () => (await recipe?.hasSaved?.(home, AGENT_WORD)) ?? true,
    check.pace.turnMs,
  );
  await stage.leave();
  await recipe?.beforeLoad?.(home);
  return { session, toolCalls };
}

async function reopen(
  stage: Stage,
  method: "session/load" | "session/resume",
  { id, cwd }: StageSession,
): Promise<CallReply> {
  return stage.link.request(method, { sessionId: id, cwd, mcpServers: [] });
}

const load = modelCase({
  name: "load/conversation",
  ids: ["DRA-LOAD-01", "DRA-LOAD-02"],
  process: "fresh",
  run: async (check) => {
    const { session, toolCalls } = await seed(check);
    const stage = await Stage.open(check);
    const loaded = await reopen(stage, "session/load", session);
    needResult(loaded, "session/load failed");
    await stage.link.barrier();
    judgeReplay(check, stage, session, loaded, toolCalls);
    await judgeRemembered(check, stage, session, "DRA-LOAD-02");
  },
});

/** LOAD-01: the user's text, the tool calls and the agent's text, in this order, once each. */
function judgeReplay(
  check: AgentCheck,
  { link }: Stage,
  session: StageSession,
  loaded: CallReply,
  toolCalls: number,
): void {
  const user = chunksOf(link, session.id, "user_message_chunk");
  const agent = chunksOf(link, session.id, "agent_message_chunk");
  const calls = callsOf(link, session.id);
  const problem =
    countProblem("the user's text", user, USER_WORD) ??
    countProblem("the agent's text", agent, AGENT_WORD) ??
    (toolCalls > 0 && calls.length === 0 ? "no tool call" : undefined) ??
    orderProblem(link.updates(session.id).map(({ update }) => update));
  check.judge("DRA-LOAD-01", problem === undefined, "user text, tool call, agent text", {
    expected: "the whole conversation, in order, once",
    actual: `${problem}; ${link.updates(session.id).length} updates`,
    frames: evidence(link, loaded),
  });
}

function countProblem(what: string, said: string, words: string): string | undefined {
  const count = said.split(words).length - 1;
  if (count === 1) return undefined;
  return count === 0 ? `${what} is missing: ${shown(said)}` : `${what} came ${count} times`;
}

function orderProblem(updates: readonly JsonObject[]): string | undefined {
  const textOf = (update: JsonObject): string =>
    stringField(asObject(update["content"]), "text") ?? "";
  const userAt = updates.findIndex((update) => textOf(update).includes("abracadabra"));
  const agentAt = updates.findLastIndex((update) => textOf(update).includes("plugh"));
  const callAt = updates.findIndex(({ sessionUpdate }) => sessionUpdate === "tool_call");
  if (agentAt !== -1 && userAt > agentAt) return "the answer came before the prompt";
  if (agentAt !== -1 && callAt > agentAt) return "the tool call came after the answer";
  return undefined;
}

/** The next request to the model holds the earlier conversation. */
async function judgeRemembered(
  check: AgentCheck,
  stage: Stage,
  session: StageSession,
  id: string,
): Promise<void> {
  const model = stage.needModel();
  const before = model.calls.length;
  const turn = await stage.turn(session, { ending: [text("Of course.")] });
  const bodies = model.calls.slice(before).map(({ body }) => JSON.stringify(body));
  if (bodies.length === 0) {
    check.untested(id, `the agent did not call the model: ${describeReply(turn.end)}`);
    return;
  }
  const lost = ["abracadabra", "plugh"].filter((word) => !bodies.join("\n").includes(word));
  check.judge(id, lost.length === 0, "both texts are in the next request to the model", {
    expected: "the earlier conversation in the next request to the model",
    actual: `the request lacks ${lost.length === 2 ? "both texts" : `the text with ${lost[0]}`}`,
    frames: evidence(stage.link, turn.n, turn.end),
  });
}

const resume = modelCase({
  name: "resume/context",
  ids: ["DRA-RESUME-01"],
  process: "fresh",
  run: async (check) => {
    const { session } = await seed(check);
    const stage = await Stage.open(check);
    needResult(await reopen(stage, "session/resume", session), "session/resume failed");
    await judgeRemembered(check, stage, session, "DRA-RESUME-01");
  },
});

/** A value to set, and where it is found later. */
interface Setting {
  readonly what: string;
  readonly method: string;
  readonly params: JsonObject;
  /** The current value in the result of a load. */
  readonly current: (result: JsonObject) => unknown;
  readonly value: unknown;
}

const settings: AgentCase = {
  name: "load/settings",
  ids: ["DRA-LOAD-06"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const first = await Stage.open(check);
    const session = await first.session();
    const wanted = settingsOf(session.result);
    if (wanted.length === 0) throw new Unmet("the agent has no modes or options to change");
    const kept: Setting[] = [];
    for (const setting of wanted) {
      const { method, params } = setting;
      const reply = await first.link.request(method, { sessionId: session.id, ...params });
      if (reply.kind === "result") kept.push(setting);
    }
    const before = first.model?.calls.length ?? 0;
    await first.turn(session);
    const used = first.model?.calls[before]?.model;
    const wrote = await writingIn(first, session, "before.txt");
    await first.leave();
    await check.run.subject.recipe?.beforeLoad?.((await check.place()).home);
    const stage = await Stage.open(check);
    const loaded = await reopen(stage, "session/load", session);
    const result = needResult(loaded, "session/load failed");
    for (const { what, current, value } of kept)
      check.judge("DRA-LOAD-06", current(result) === value, `${what} ${shown(value)}`, {
        expected: `${what} ${shown(value)} in the result of session/load`,
        actual: shown(current(result)),
        frames: evidence(stage.link, loaded),
      });
    await judgeModel(check, stage, session, used);
    await judgeEffect(check, stage, session, wrote);
  },
};

/** The effects of a mode: whether the agent asks before it writes, and whether it writes. */
interface Writing {
  readonly asked: boolean;
  readonly written: boolean;
}

/** Makes the agent write a file. Undefined if it cannot be made to. */
async function writingIn(
  stage: Stage,
  session: StageSession,
  name: string,
): Promise<(Writing & { readonly n: number; readonly end: CallReply }) | undefined> {
  const act = { tool: "write", path: join(session.cwd, name), content: "written\n" } as const;
  if (!stage.canDo(act)) return undefined;
  const turn = await stage.turn(session, { acts: [act] }).catch(ifUnmet);
  if (turn?.end.kind !== "result") return undefined;
  return {
    asked: stage.requests(PERMISSION, turn.n).length > 0,
    written: await exists(act.path),
    n: turn.n,
    end: turn.end,
  };
}

/** The loaded session writes a file as it did before, so its mode is in effect. */
async function judgeEffect(
  check: AgentCheck,
  stage: Stage,
  session: StageSession,
  before: Writing | undefined,
): Promise<void> {
  const now = before && (await writingIn(stage, session, "after.txt"));
  if (!before || !now) return;
  const isSame = before.asked === now.asked && before.written === now.written;
  check.judge("DRA-LOAD-06", isSame, "writes a file as before", {
    expected: `the mode in effect: ${describeWriting(before)}, as before the load`,
    actual: describeWriting(now),
    frames: evidence(stage.link, now.n, now.end),
  });
}

function describeWriting({ asked, written }: Writing): string {
  return `a file is ${written ? "written" : "not written"} ${asked ? "after" : "without"} a permission request`;
}

/** The loaded session calls the same model. */
async function judgeModel(
  check: AgentCheck,
  stage: Stage,
  session: StageSession,
  used: string | undefined,
): Promise<void> {
  const before = stage.model?.calls.length ?? 0;
  const turn = await stage.turn(session);
  const now = stage.model?.calls[before]?.model;
  if (used === undefined || now === undefined) return;
  check.judge("DRA-LOAD-06", used === now, `the model ${shown(used)}`, {
    expected: `calls of the model ${shown(used)}, as before`,
    actual: `a call of the model ${shown(now)}`,
    frames: evidence(stage.link, turn.n, turn.end),
  });
}

/** Another mode, and another value for the first option that is not the mode. */
function settingsOf(result: JsonObject): readonly Setting[] {
  const modes = asObject(result["modes"]);
  const mode = objectsField(modes, "availableModes").find(
    ({ id }) => id !== modes["currentModeId"],
  );
  const found: Setting[] = [];
  if (mode)
    found.push({
      what: "the mode",
      method: "session/set_mode",
      params: { modeId: mode["id"] },
      current: (loaded) => asObject(loaded["modes"])["currentModeId"],
      value: mode["id"],
    });
  const option = objectsField(result, "configOptions").find(
    ({ category, type }) => category === "model" && type === "select",
  );
  const other = option && valuesOf(option).find((value) => value !== option["currentValue"]);
  if (option && other !== undefined)
    found.push({
      what: `the option ${shown(option["id"])}`,
      method: "session/set_config_option",
      params: { configId: option["id"], value: other },
      current: (loaded) =>
        objectsField(loaded, "configOptions").find(({ id }) => id === option["id"])?.[
          "currentValue"
        ],
      value: other,
    });
  return found;
}

/** The values of an option, also of one with groups. */
function valuesOf(option: JsonObject): readonly unknown[] {
  return objectsField(option, "options").flatMap((entry) =>
    "value" in entry ? [entry["value"]] : objectsField(entry, "options").map(({ value }) => value),
  );
}

export const historyCases: readonly AgentCase[] = [load, resume, settings];

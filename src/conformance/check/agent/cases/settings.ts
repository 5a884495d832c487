import { asObject, type JsonObject, objectField, objectsField } from "../../../../base/index.ts";
import { NotApplicable, ifUnmet } from "../../harness/errors.ts";
import type { SubjectLink } from "../../harness/link.ts";
import { type CallReply, resultOf, shown } from "../../harness/reply.ts";
import type { AgentCheck } from "../agent-check.ts";
import { type AgentCase, agentCase, linkCase, sharedCase } from "../case.ts";
import { streamingTurn } from "../stage/moments.ts";
import { Stage } from "../stage/stage.ts";

function modeIds(modes: JsonObject | undefined): readonly string[] {
  return objectsField(asObject(modes), "availableModes")
    .map(({ id }) => id)
    .filter((id) => typeof id === "string");
}

const modes = sharedCase("modes", async (check, link) => {
  const session = await check.newSession(link);
  const opened = link.frames.at(-1);
  const sessionId = String(session["sessionId"]);
  const offered = objectField(session, "modes");
  const ids = modeIds(offered);
  const current = offered?.["currentModeId"];
  const isOffered = ids.some((id) => id === current);
  check.judge("ACP-MODES-001", isOffered, `${shown(current)} of ${shown(ids)}`, opened);
  const target = ids.find((id) => id !== current) ?? ids[0];
  if (target !== undefined) {
    const reply = await link.request("session/set_mode", { sessionId, modeId: target });
    await link.barrier();
    const wrong = link
      .updates(sessionId, opened?.n, "current_mode_update")
      .findLast(({ update }) => update["currentModeId"] !== target);
    const update = wrong && `the update ${shown(wrong.update)}`;
    const isSet = reply.kind === "result" && !wrong;
    check.judge("ACP-MODES-002", isSet, `set to ${target}`, reply, update, wrong);
  }
  const odd = { sessionId, modeId: "dragoman-unknown-mode" };
  const unknown = await link.request("session/set_mode", odd);
  check.judge("DRA-MODE-01", unknown.kind === "error", "an unknown mode", unknown);
  if (target !== undefined) await judgeDuringTurn(check, target);
});

/** DRA-MODE-01: the mode can be set while a turn runs, if one can be held. */
async function judgeDuringTurn(check: AgentCheck, modeId: string): Promise<void> {
  if (!check.run.usesModel && check.run.prompts === undefined) return;
  const stage = await Stage.open(check);
  const session = await stage.session();
  const turn = await streamingTurn(stage, session).catch(ifUnmet);
  if (!turn) return;
  const reply = await stage.link.request("session/set_mode", { sessionId: session.id, modeId });
  check.judge("DRA-MODE-01", reply.kind === "result", "set while a turn runs", turn.frame, reply);
  await stage.finish(turn);
}

function optionsIn(result: JsonObject | undefined): readonly JsonObject[] {
  return objectsField(asObject(result), "configOptions");
}

/** The values of a select option, flat or in groups. */
export function valuesOf(option: JsonObject): readonly unknown[] {
  return objectsField(option, "options").flatMap((entry) =>
    Array.isArray(entry["options"])
      ? objectsField(entry, "options").map(({ value }) => value)
      : [entry["value"]],
  );
}

/** The id of an option, in either version. */
function idOf({ id, configId }: JsonObject): unknown {
  return configId ?? id;
}

const BOOLEANS = { session: { configOptions: { boolean: {} } } };

const listed = sharedCase("options/list", async (check, link) => {
  const session = await check.newSession(link);
  const sessionId = String(session["sessionId"]);
  const options = optionsIn(session);
  judgeValues(check, "ACP-CONFIG-001", link, options);
  const boolean = options.find(({ type }) => type === "boolean");
  const words = boolean ? `the boolean option ${shown(boolean["id"])}` : "no boolean option";
  check.judge("ACP-CONFIG-003", !boolean, words, link.frames.at(-1));
  const change = await setOne(check, "ACP-CONFIG-002", link, sessionId, options);
  const unknown = { configId: change?.id, value: "dragoman-unknown-value" };
  for (const params of [
    { configId: "dragoman-unknown-option", value: "x" },
    ...(change ? [unknown] : []),
  ]) {
    const reply = await set(link, sessionId, params);
    check.judge("DRA-CFG-02", reply.kind === "error", shown(params), reply);
  }
});

/** Judges that each option to select from has one of its values. */
export function judgeValues(
  check: AgentCheck,
  id: string,
  link: SubjectLink,
  options: readonly JsonObject[],
): void {
  for (const option of options.filter(({ type }) => type === "select")) {
    const { currentValue } = option;
    const words = `${shown(currentValue)} of ${shown(valuesOf(option))}`;
    const isKept = valuesOf(option).includes(currentValue);
    check.judge(id, isKept, shown(idOf(option)), words, link.frames.at(-1));
  }
}

/** Sets the first option that has values, and judges that the answer has all options. */
export async function setOne(
  check: AgentCheck,
  id: string,
  link: SubjectLink,
  sessionId: string,
  options: readonly JsonObject[],
  more: JsonObject = {},
): Promise<
  | { readonly id: unknown; readonly value: unknown; readonly now: unknown; reply: CallReply }
  | undefined
> {
  const option = options.find((one) => valuesOf(one).length > 0);
  if (!option) return undefined;
  const { currentValue } = option;
  const value = valuesOf(option).find((one) => one !== currentValue) ?? currentValue;
  const reply = await set(link, sessionId, { configId: idOf(option), ...more, value });
  const answered = optionsIn(resultOf(reply));
  const ids = answered.map(idOf);
  const missing = options.map(idOf).filter((one) => !ids.includes(one));
  const words = `${answered.length} options in the answer, ${missing.length} are missing`;
  check.judge(id, reply.kind === "result" && missing.length === 0, words, reply);
  const now = answered.find((one) => idOf(one) === idOf(option))?.["currentValue"];
  return { id: idOf(option), value, now, reply };
}

function set(link: SubjectLink, sessionId: string, params: JsonObject): Promise<CallReply> {
  return link.request("session/set_config_option", { sessionId, ...params });
}

const forms = agentCase("options/forms", async (check) => {
  const { link } = await check.open({ capabilities: BOOLEANS });
  const session = await check.newSession(link);
  const opened = link.frames.at(-1);
  const options = optionsIn(session);
  const ids = options.map(idOf);
  const unset = options.find(({ currentValue }) => (currentValue ?? null) === null);
  const words = unset ? `${shown(unset["id"])} has no value` : `ids ${shown(ids)}`;
  check.judge("DRA-CFG-01", new Set(ids).size === ids.length && !unset, words, opened);
  const boolean = options.find(({ type }) => type === "boolean");
  if (!boolean) return;
  const { id } = boolean;
  const value = boolean["currentValue"] !== true;
  const params = { configId: id, type: "boolean", value };
  const reply = await set(link, String(session["sessionId"]), params);
  const now = optionsIn(resultOf(reply)).find((one) => one["id"] === id)?.["currentValue"];
  check.judge("DRA-CFG-01", now === value, `${shown(id)} set to ${value}`, reply);
});

const inStep = linkCase("options/in-step", async (check, link) => {
  const session = await check.newSession(link);
  const sessionId = String(session["sessionId"]);
  const ids = modeIds(objectField(session, "modes"));
  const all = optionsIn(session);
  const option = all.find(({ category }) => category === "mode");
  const shared = option ? ids.filter((id) => valuesOf(option).includes(id)) : [];
  const target = shared.find((id) => id !== option?.["currentValue"]);
  if (!option || target === undefined)
    throw new NotApplicable("the agent has no modes that are an option too");
  const { id, currentValue } = option;
  const update = await updateAfter(link, sessionId, "config_option_update", () =>
    link.request("session/set_mode", { sessionId, modeId: target }),
  );
  const options = optionsIn(update.update);
  const isComplete = all.every((one) => options.some((other) => other["id"] === one["id"]));
  const now = options.find((one) => one["id"] === id)?.["currentValue"];
  const words = `the update has ${options.length} of ${all.length} options, and ${shown(now)}`;
  const what = `set_mode to ${target}`;
  check.judge("DRA-CFG-03", now === target && isComplete, what, words, update.frames);
  const back = await updateAfter(link, sessionId, "current_mode_update", () =>
    set(link, sessionId, { configId: id, value: currentValue }),
  );
  const mode = back.update?.["currentModeId"];
  const how = `set_config_option to ${shown(currentValue)}`;
  check.judge("DRA-CFG-03", mode === currentValue, how, `the mode is ${shown(mode)}`, back.frames);
});

/** The last update of a kind that a request leads to, with the frames of both. */
async function updateAfter(
  link: SubjectLink,
  sessionId: string,
  kind: string,
  request: () => Promise<CallReply>,
): Promise<{ readonly update?: JsonObject; readonly frames: CallReply["frames"] }> {
  const after = link.frames.length;
  const { frames } = await request();
  await link.barrier();
  const found = link.updates(sessionId, after, kind).at(-1);
  return found ? { update: found.update, frames: [...frames, found] } : { frames };
}

export const modeCases: readonly AgentCase[] = [modes];
export const optionCases: readonly AgentCase[] = [listed, forms, inStep];

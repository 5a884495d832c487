import { asObject, isJsonObject, type JsonObject } from "../../../wire/index.ts";
import type { SubjectLink } from "../../harness/link.ts";
import { describeReply, type CallReply, shown } from "../../harness/reply.ts";
import { type AgentCheck, evidence } from "../agent-check.ts";
import type { AgentCase } from "../case.ts";
import { modeIds } from "./modes.ts";

/** The objects in a list; nothing if it is not a list. */
export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The options of a result. */
function optionsIn(result: JsonObject | undefined): readonly JsonObject[] {
  return objects(result?.["configOptions"]);
}

/** The values of a select option, flat or in groups. */
export function valuesOf(option: JsonObject): readonly unknown[] {
  return objects(option["options"]).flatMap((entry) =>
    Array.isArray(entry["options"])
      ? objects(entry["options"]).map(({ value }) => value)
      : [entry["value"]],
  );
}

const idsOf = (options: readonly JsonObject[]): readonly unknown[] => options.map(({ id }) => id);

const BOOLEANS = { session: { configOptions: { boolean: {} } } };

const listed: AgentCase = {
  name: "options/list",
  ids: ["ACP-CONFIG-001", "ACP-CONFIG-002", "ACP-CONFIG-003", "DRA-CFG-02"],
  process: "shared",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open();
    const session = await check.newSession(link);
    const frames = evidence(link, link.frames.length);
    const sessionId = String(session["sessionId"]);
    const options = optionsIn(session);
    for (const option of options.filter(({ type }) => type === "select")) {
      const { id, currentValue } = option;
      check.judge(
        "ACP-CONFIG-001",
        valuesOf(option).includes(currentValue),
        `${shown(id)}: ${shown(currentValue)}`,
        {
          expected: `${shown(id)} has one of its values ${shown(valuesOf(option))}`,
          actual: `the value ${shown(currentValue)}`,
          frames,
        },
      );
    }
    const booleans = options.filter(({ type }) => type === "boolean");
    check.judge(
      "ACP-CONFIG-003",
      booleans.length === 0,
      `${options.length} options, none boolean`,
      {
        expected: "no boolean option, because the client does not offer to take them",
        actual: `the boolean option ${shown(booleans[0]?.["id"])}`,
        frames,
      },
    );
    await judgeSetting(check, link, sessionId, options);
    await judgeUnknown(check, link, sessionId, options);
  },
};

async function judgeSetting(
  check: AgentCheck,
  link: SubjectLink,
  sessionId: string,
  options: readonly JsonObject[],
): Promise<void> {
  const option = options.find((one) => valuesOf(one).length > 0);
  if (!option) return;
  const value =
    valuesOf(option).find((one) => one !== option["currentValue"]) ?? option["currentValue"];
  const reply = await set(link, sessionId, { configId: option["id"], value });
  const answered = reply.kind === "result" ? optionsIn(asObject(reply.result)) : [];
  const missing = idsOf(options).filter((id) => !idsOf(answered).includes(id));
  const isKept = reply.kind === "result" && missing.length === 0;
  check.judge("ACP-CONFIG-002", isKept, `${answered.length} options in the answer`, {
    expected: "all options in the answer",
    actual: reply.kind === "result" ? `without ${shown(missing)}` : describeReply(reply),
    frames: evidence(link, reply),
  });
}

function set(link: SubjectLink, sessionId: string, params: JsonObject): Promise<CallReply> {
  return link.request("session/set_config_option", { sessionId, ...params });
}

async function judgeUnknown(
  check: AgentCheck,
  link: SubjectLink,
  sessionId: string,
  options: readonly JsonObject[],
): Promise<void> {
  const option = options.find((one) => valuesOf(one).length > 0);
  const attempts = [
    { configId: "dragoman-unknown-option", value: "x" },
    ...(option ? [{ configId: option["id"], value: "dragoman-unknown-value" }] : []),
  ];
  for (const params of attempts) {
    const reply = await set(link, sessionId, params);
    check.judge("DRA-CFG-02", reply.kind === "error", `${shown(params)}: refused`, {
      expected: `an error for ${shown(params)}`,
      actual: describeReply(reply),
      frames: evidence(link, reply),
    });
  }
}

const forms: AgentCase = {
  name: "options/forms",
  ids: ["DRA-CFG-01"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({ capabilities: BOOLEANS });
    const session = await check.newSession(link);
    const frames = evidence(link, link.frames.length);
    const options = optionsIn(session);
    const ids = idsOf(options);
    const isUnique = new Set(ids).size === ids.length;
    const unset = options.find(
      ({ currentValue }) => currentValue === undefined || currentValue === null,
    );
    check.judge("DRA-CFG-01", isUnique && !unset, `${options.length} options with values`, {
      expected: "unique ids and a value for each option",
      actual: unset ? `${shown(unset["id"])} has no value` : `ids ${shown(ids)}`,
      frames,
    });
    const boolean = options.find(({ type }) => type === "boolean");
    if (!boolean) return;
    const value = boolean["currentValue"] !== true;
    const params = { configId: boolean["id"], type: "boolean", value };
    const reply = await set(link, String(session["sessionId"]), params);
    const now =
      reply.kind === "result"
        ? optionsIn(asObject(reply.result)).find(({ id }) => id === boolean["id"])
        : undefined;
    check.judge(
      "DRA-CFG-01",
      now?.["currentValue"] === value,
      `${shown(boolean["id"])} set to ${value}`,
      {
        expected: `the boolean option ${shown(boolean["id"])} becomes ${value}`,
        actual: describeReply(reply),
        frames: evidence(link, reply),
      },
    );
  },
};

const inStep: AgentCase = {
  name: "options/in-step",
  ids: ["DRA-CFG-03"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({});
    const session = await check.newSession(link);
    const sessionId = String(session["sessionId"]);
    const ids = modeIds(asObject(session["modes"]));
    const all = optionsIn(session);
    const option = all.find(({ category }) => category === "mode");
    const shared = option ? ids.filter((id) => valuesOf(option).includes(id)) : [];
    const target = shared.find((id) => id !== option?.["currentValue"]);
    if (!option || target === undefined) {
      check.skip("DRA-CFG-03", "the agent has no modes that are an option too");
      return;
    }
    const after = link.frames.length;
    await link.request("session/set_mode", { sessionId, modeId: target });
    await link.barrier();
    const update = link
      .updates(sessionId, after)
      .findLast(({ update }) => update["sessionUpdate"] === "config_option_update");
    const options = optionsIn(update?.update);
    const isComplete = idsOf(all).every((id) => idsOf(options).includes(id));
    const now = options.find(({ id }) => id === option["id"])?.["currentValue"];
    check.judge(
      "DRA-CFG-03",
      now === target && isComplete,
      `set_mode to ${target} changes the option`,
      {
        expected: `a complete config_option_update with ${shown(option["id"])} at ${target}`,
        actual: update
          ? `the value ${shown(now)}, ${options.length} of ${all.length} options`
          : "none",
        frames: evidence(link, ...(update ? [update.n] : [after + 1])),
      },
    );
    await judgeBack(check, link, sessionId, option);
  },
};

/** Sets the option, and looks for the mode. */
async function judgeBack(
  check: AgentCheck,
  link: SubjectLink,
  sessionId: string,
  { id, currentValue }: JsonObject,
): Promise<void> {
  const after = link.frames.length;
  const reply = await set(link, sessionId, { configId: id, value: currentValue });
  await link.barrier();
  const update = link
    .updates(sessionId, after)
    .findLast((one) => one.update["sessionUpdate"] === "current_mode_update");
  const mode = update?.update["currentModeId"];
  check.judge("DRA-CFG-03", mode === currentValue, `the option changes the mode`, {
    expected: `a current_mode_update to ${shown(currentValue)} after the option was set`,
    actual: update ? `the mode ${shown(mode)}` : "none",
    frames: [...evidence(link, reply), ...evidence(link, ...(update ? [update.n] : []))],
  });
}

export const optionCases: readonly AgentCase[] = [listed, forms, inStep];

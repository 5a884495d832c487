import { isJsonObject, objectField, type JsonObject } from "../../../../../base/index.ts";
import type { AgentFrame, CheckingAgent } from "../../agent.ts";
import type { ClientCase, ClientCheck } from "../../case.ts";
import { paramsOf } from "../../observe.ts";

/** Modes as an agent lists them. */
export const MODES = {
  currentModeId: "m-ask",
  availableModes: [
    { id: "m-ask", name: "Ask" },
    { id: "m-code", name: "Code" },
  ],
};

/** Options as an agent lists them. */
export const OPTIONS: readonly JsonObject[] = [
  {
    id: "c-model",
    name: "Model",
    category: "model",
    type: "select",
    currentValue: "v-small",
    options: [
      { value: "v-small", name: "Small" },
      { value: "v-large", name: "Large" },
    ],
  },
];
const SWITCH: JsonObject = { id: "c-fast", name: "Fast", type: "boolean", currentValue: false };

/** A setting that the driver makes the client change. */
export interface Setting {
  readonly drive: "option" | "mode";
  readonly values: Readonly<Record<string, string>>;
  /** The modes or options that the agent lists. */
  readonly session: JsonObject;
  /** The params that set it. Undefined if the agent does not list it, so that nothing may be sent. */
  readonly wanted?: JsonObject | undefined;
}

/** A mode that is listed. */
export const LISTED_MODE: Setting = {
  drive: "mode",
  values: { mode: "m-code" },
  session: { modes: MODES },
  wanted: { modeId: "m-code" },
};
/** A value of an option that is listed. */
export const LISTED_OPTION: Setting = {
  drive: "option",
  values: { option: "c-model", value: "v-large" },
  session: { configOptions: OPTIONS },
  wanted: { configId: "c-model", value: "v-large" },
};
const LISTED_SWITCH: Setting = {
  drive: "option",
  values: { option: "c-fast", value: "true" },
  session: { configOptions: [...OPTIONS, SWITCH] },
  wanted: { configId: "c-fast", type: "boolean", value: true },
};
const UNLISTED: readonly Setting[] = [
  {
    drive: "option",
    values: { option: "c-model", value: "v-unlisted" },
    session: { configOptions: OPTIONS },
  },
  {
    drive: "option",
    values: { option: "c-unlisted", value: "v-large" },
    session: { configOptions: OPTIONS },
  },
  { drive: "mode", values: { mode: "m-unlisted" }, session: { modes: MODES } },
];

/** The frames with which a client sets modes and options. */
export function settingFrames(agent: CheckingAgent | undefined): readonly AgentFrame[] {
  return ["session/set_mode", "session/set_config_option"].flatMap(
    (method) => agent?.calls(method) ?? [],
  );
}

/** Whether a frame makes the requested change. */
export function isSetting({ wanted = {} }: Setting, frame: AgentFrame): boolean {
  const params = paramsOf(frame);
  return Object.entries(wanted).every(([name, value]) => params[name] === value);
}

/** The settings that the driver can make this client change. */
function settingsFor(check: ClientCheck): readonly Setting[] {
  const session = objectField(check.baseline.capabilities, "session") ?? {};
  const hasSwitches = isJsonObject(objectField(session, "configOptions")?.["boolean"]);
  const listed = [LISTED_OPTION, LISTED_MODE, ...(hasSwitches ? [LISTED_SWITCH] : [])];
  return [...listed, ...UNLISTED].filter(({ drive }) => check.has(drive));
}

const listedOnly: ClientCase = {
  ids: ["DRC-SES-03"],
  run: async (check) => {
    const id = "DRC-SES-03";
    const settings = settingsFor(check);
    if (settings.length === 0)
      return check.skip(id, 'the driver has neither an entry "option" nor "mode"');
    const seen: AgentFrame[] = [];
    let refused = 0;
    for (const setting of settings) {
      const { drive, values, session, wanted } = setting;
      const { agent } = await check.play({ session }, { drive: [drive], values });
      const frames = settingFrames(agent);
      const [first] = frames;
      if (!wanted) {
        const unlisted = frames.find(({ line }) => line.includes("-unlisted"));
        if (unlisted) {
          const expected = "nothing is set that the agent does not list";
          return check.fail(id, expected, `it sent ${JSON.stringify(paramsOf(unlisted))}`, [
            unlisted,
          ]);
        }
        refused += 1;
      } else if (first) {
        const right = frames.find((frame) => isSetting(setting, frame));
        if (!right) {
          const expected = `asked to set ${JSON.stringify(values)}, it sends ${JSON.stringify(wanted)}`;
          return check.fail(id, expected, `it sent ${JSON.stringify(paramsOf(first))}`, [first]);
        }
        seen.push(right);
      }
    }
    if (seen.length === 0) return check.untested(id, "the client set nothing");
    const set = seen.map((frame) => JSON.stringify(paramsOf(frame))).join(", ");
    check.pass(id, `it set ${set}, and nothing in ${refused} runs with unlisted names`, seen);
  },
};

const optionsOverModes: ClientCase = {
  ids: ["DRC-UPD-06"],
  needs: ["mode"],
  run: async (check) => {
    const mode = {
      id: "c-mode",
      name: "Mode",
      category: "mode",
      type: "select",
      currentValue: "m-ask",
      options: MODES.availableModes.map(({ id, name }) => ({ value: id, name })),
    };
    const session = { modes: MODES, configOptions: [mode] };
    const { agent } = await check.play(
      { session },
      { drive: ["mode"], values: { mode: "m-code" } },
    );
    const byMode = agent?.calls("session/set_mode") ?? [];
    const byOption = agent?.calls("session/set_config_option") ?? [];
    if (byMode.length > 0) {
      const expected = "with both, the mode is set by session/set_config_option";
      check.fail("DRC-UPD-06", expected, "the client sent session/set_mode", byMode);
    } else if (byOption.length > 0)
      check.pass("DRC-UPD-06", "the mode was set as an option", byOption);
    else check.untested("DRC-UPD-06", "the client set no mode");
  },
};

export const SETTING_CASES: readonly ClientCase[] = [listedOnly, optionsOverModes];

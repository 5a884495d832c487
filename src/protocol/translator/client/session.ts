import { BoundedMap } from "../../acp/index.ts";
import {
  type JsonObject,
  isJsonObject,
  objectField,
  randomId,
  stringField,
} from "../../../base/index.ts";
import { resultFrame, updateFrame, withdrawnPromptFrame } from "../frames.ts";
import type { LossCounter } from "../losses.ts";
import { META_KEYS } from "../methods.ts";
import {
  commandsToV2,
  MODE_OPTION_ID,
  modeOption,
  modeOptionOf,
  onlyObjects,
  optionsToV2,
} from "../shapes/session-fields.ts";
import { Foreground } from "./foreground.ts";
import { contentToV2 } from "../shapes/content.ts";

/** A prompt of the client that is not over. */
export interface OpenPrompt {
  readonly id: unknown;
  readonly frame: JsonObject;
  /** The id of the user's message, once the turn has started. */
  messageId: string | undefined;
}

const KEPT_CALLS = { count: 1000, chars: 1024 * 1024 };
const PLAN_ID = "plan";

/** One session of a v1 agent: everything that is needed to express its updates in v2. */
export class SessionInV2 {
  readonly id: string;
  /** In the order received. The first one may be running. */
  readonly prompts: OpenPrompt[] = [];
  /** Whether the session works, and what it waits for. */
  readonly foreground = new Foreground();
  /** Whether updates are a replay, and whether the client wants it. */
  replay: "none" | "passed" | "dropped" = "none";
  /** The messages that the current replay has begun. */
  readonly #replayed = new Set<string>();
  readonly #losses: LossCounter;
  /** Whether the agent has the additions of v2: its own terminals, states and background work. */
  readonly #hasDetails: boolean;
  readonly #messageIds = new MessageIds();
  readonly #titles = new BoundedMap<string>({ ...KEPT_CALLS, weigh: (title) => title.length });
  #options: readonly JsonObject[] | undefined;
  /** Whether the option for the mode stands for modes of v1. */
  #modeIsMinted = false;
  #hasCost = false;

  constructor(id: string, hasDetails: boolean, losses: LossCounter) {
    this.id = id;
    this.#hasDetails = hasDetails;
    this.#losses = losses;
  }

  get isRunning(): boolean {
    return this.prompts.some(({ messageId }) => messageId !== undefined);
  }

  /** The frames that say a turn has started: the user's message, the answer, and the state. */
  started(prompt: OpenPrompt, given?: unknown): readonly JsonObject[] {
    const messageId = typeof given === "string" ? given : randomId();
    prompt.messageId = messageId;
    const content = isJsonObject(prompt.frame["params"]) ? prompt.frame["params"]["prompt"] : [];
    this.#messageIds.interrupt();
    return [
      this.#frame({ sessionUpdate: "user_message", messageId, content }),
      resultFrame(prompt.id, { messageId }),
      this.#frame(this.foreground.started()),
    ];
  }

  /** The frame that says the work is over. */
  idle(reason: JsonObject): JsonObject {
    return this.#frame(this.foreground.ended(reason));
  }

  frames(updates: readonly JsonObject[]): readonly JsonObject[] {
    return updates.map((update) => this.#frame(update));
  }

  /** The last frames about the session and its prompts, if the agent closed it before it answered them. */
  closed(): readonly JsonObject[] {
    const { isRunning } = this;
    const held = this.prompts.filter(({ messageId }) => messageId === undefined);
    const refused = held.map(({ id }) => withdrawnPromptFrame(id));
    const isBusy = isRunning || this.foreground.hasOwnWork;
    return isBusy ? [...refused, this.idle({ stopReason: "cancelled" })] : refused;
  }

  /** The v2 result of a v1 setup result. */
  setup(result: JsonObject): JsonObject {
    const { modes, configOptions, ...rest } = result;
    const options = this.#withMode(modes, configOptions);
    return options === undefined ? rest : { ...rest, configOptions: this.#shownOptions(options) };
  }

  /** Whether a config option of the client stands for the modes of the agent. */
  isMintedMode(configId: unknown): boolean {
    return this.#modeIsMinted && configId === MODE_OPTION_ID;
  }

  /** The v2 result of a changed option or mode. */
  optionsResult(configOptions: unknown): JsonObject {
    if (Array.isArray(configOptions)) this.#keepMode(configOptions);
    return { configOptions: this.#shownOptions(this.#options ?? []) };
  }

  setMode(modeId: unknown): void {
    this.#options = this.#options?.map((option) =>
      option["id"] === this.#modeId() ? { ...option, currentValue: modeId } : option,
    );
  }

  titleOf(toolCallId: unknown): string | undefined {
    return typeof toolCallId === "string" ? this.#titles.get(toolCallId) : undefined;
  }

  update(update: JsonObject): readonly JsonObject[] {
    const kind = update["sessionUpdate"];
    switch (kind) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
      case "user_message_chunk":
        return this.#chunk(kind, update);
      case "tool_call":
      case "tool_call_update": {
        this.#messageIds.interrupt();
        const call = { ...this.toolCall(update), sessionUpdate: "tool_call_update" };
        return [call, ...this.foreground.called(String(update["toolCallId"]), update["status"])];
      }
      case "plan": {
        const { entries, _meta } = update;
        const plan = { type: "items", planId: PLAN_ID, entries };
        const meta = _meta === undefined ? {} : { _meta };
        return [...this.foreground.wentOn(), { sessionUpdate: "plan_update", plan, ...meta }];
      }
      case "state_update":
        return this.#hasDetails ? [this.foreground.reported(update)] : [update];
      case "available_commands_update":
        return [{ ...update, availableCommands: commandsToV2(update["availableCommands"]) }];
      case "current_mode_update":
        this.setMode(update["currentModeId"]);
        return this.#optionsUpdate();
      case "config_option_update":
        this.#keepMode(update["configOptions"]);
        return this.#optionsUpdate();
      case "usage_update":
        return [this.#usage(update)];
      default:
        return [update];
    }
  }

  /** In v1, an omitted cost means that there is none; in v2, that it did not change. */
  #usage(update: JsonObject): JsonObject {
    const isCleared = this.#hasCost && update["cost"] === undefined;
    this.#hasCost = isJsonObject(update["cost"]);
    return isCleared ? { ...update, cost: null } : update;
  }

  /** The v2 form of a tool call. A `tool_call` for a known id replaces it, so what it omits is cleared. */
  toolCall(update: JsonObject): JsonObject {
    const { sessionUpdate, toolCallId, title, content, locations, ...rest } = withRaw(update);
    const id = String(toolCallId);
    const isReplaced = sessionUpdate === "tool_call" && this.#titles.has(id);
    if (typeof title === "string") this.#titles.set(id, title);
    else if (!this.#titles.has(id)) this.#titles.set(id, "");
    const given = {
      toolCallId,
      title,
      ...rest,
      content: Array.isArray(content) ? this.#content(content) : undefined,
      locations: Array.isArray(locations) ? locations.map(withLine) : undefined,
    };
    // In v1 null means that a field did not change. Only v2 has capabilities.
    const present = Object.entries(given).filter(
      ([key, value]) => value !== undefined && (value !== null || key === "capabilities"),
    );
    const cleared = isReplaced ? REPLACED_FIELDS.map((key): [string, null] => [key, null]) : [];
    return Object.fromEntries([...cleared, ...present]);
  }

  #chunk(kind: string, update: JsonObject): readonly JsonObject[] {
    // The client has its own message already.
    if (kind === "user_message_chunk" && this.isRunning && this.replay === "none") {
      this.#losses.add("user-chunks");
      return [];
    }
    const { id, isMinted } = this.#messageIds.idFor(kind, update);
    const before = [...this.foreground.wentOn(), ...this.#emptied(kind, id)];
    if (!isMinted) return before.length === 0 ? [update] : [...before, update];
    this.#losses.add("message-id");
    return [...before, { ...update, messageId: id }];
  }

  /** In a replay, chunks append to a message that the client may have, so the first one empties it. */
  #emptied(kind: string, messageId: string): readonly JsonObject[] {
    if (this.replay !== "passed") {
      this.#replayed.clear();
      return [];
    }
    const sessionUpdate = kind.replace("_chunk", "");
    const key = `${sessionUpdate} ${messageId}`;
    if (this.#replayed.has(key)) return [];
    this.#replayed.add(key);
    return [{ sessionUpdate, messageId, content: [] }];
  }

  #content(content: readonly unknown[]): readonly unknown[] {
    const own = this.#hasDetails
      ? content
      : content.filter((item) => !isJsonObject(item) || item["type"] !== "terminal");
    if (own.length < content.length) this.#losses.add("client-terminal");
    if (own.some((item) => isJsonObject(item) && item["type"] === "diff")) {
      this.#losses.add("diff-lines");
    }
    return contentToV2(own);
  }

  #withMode(modes: unknown, configOptions: unknown): readonly JsonObject[] | undefined {
    const given = Array.isArray(configOptions) ? onlyObjects(configOptions) : undefined;
    const mode = isJsonObject(modes) && modeOptionOf(given ?? []) === undefined;
    this.#modeIsMinted = mode;
    this.#options = mode ? [modeOption(modes), ...(given ?? [])] : given;
    return this.#options;
  }

  /** Replaces the options of the agent, and keeps the one that stands for its modes. */
  #keepMode(configOptions: unknown): void {
    const minted = this.#modeIsMinted
      ? this.#options?.filter(({ id }) => id === MODE_OPTION_ID)
      : undefined;
    this.#options = [...(minted ?? []), ...onlyObjects(configOptions)];
  }

  #shownOptions(options: readonly JsonObject[]): readonly JsonObject[] {
    const shown = optionsToV2(options);
    if (shown.length < options.length) this.#losses.add("empty-option");
    return shown;
  }

  #modeId(): string | undefined {
    const option = modeOptionOf(this.#options ?? []);
    return option && stringField(option, "id");
  }

  #optionsUpdate(): readonly JsonObject[] {
    if (this.#options === undefined) return [];
    const configOptions = this.#shownOptions(this.#options);
    return [{ sessionUpdate: "config_option_update", configOptions }];
  }

  #frame(update: JsonObject): JsonObject {
    return updateFrame(this.id, update);
  }
}

/** The status that an agent could not express in v1, from `_meta`. */
function withRaw(update: JsonObject): JsonObject {
  const meta = objectField(update, "_meta");
  const raw = meta && objectField(meta, META_KEYS.raw);
  if (!meta || typeof raw?.["status"] !== "string") return update;
  const { [META_KEYS.raw]: _, ...others } = meta;
  const { _meta, ...rest } = update;
  const kept = Object.keys(others).length === 0 ? {} : { _meta: others };
  return { ...rest, ...kept, status: raw["status"] };
}

const REPLACED_FIELDS = ["name", "kind", "status", "content", "locations", "rawInput", "rawOutput"];

/** v2 counts lines from 1. In v1, some agents send 0 for the whole file. */
function withLine(location: unknown): unknown {
  if (!isJsonObject(location) || location["line"] !== 0) return location;
  const { line: _, ...rest } = location;
  return rest;
}

/**
 * Gives chunks of a v1 agent the message ids that v2 requires. Chunks of one kind in a row are one
 * message; a chunk of another kind or a tool call in between starts a new one.
 */
export class MessageIds {
  #kind: string | undefined;
  #id = "";

  /** The id for a chunk, and whether it was made up. */
  idFor(kind: string, update: JsonObject): { readonly id: string; readonly isMinted: boolean } {
    const given = stringField(update, "messageId");
    if (given !== undefined) {
      this.#kind = undefined;
      return { id: given, isMinted: false };
    }
    if (this.#kind !== kind) {
      this.#kind = kind;
      this.#id = randomId();
    }
    return { id: this.#id, isMinted: true };
  }

  /** Ends the message that chunks without an id belong to. */
  interrupt(): void {
    this.#kind = undefined;
  }
}

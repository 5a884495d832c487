import {
  isJsonObject,
  type JsonObject,
  objectField,
  objectsField,
  stringField,
} from "../../../base/index.ts";
import { BoundedMap, weightOf } from "../../acp/index.ts";
import type { LossCounter } from "../losses.ts";
import { blockToV1 } from "../shapes/content.ts";
import {
  commandsToV1,
  modeOptionOf,
  modesOf,
  onlyObjects,
  optionsToV1,
  planEntriesToV1,
} from "../shapes/session-fields.ts";
import { type MessageKind, ShownMessages } from "./messages.ts";
import { type EndedPrompt, PromptTracker } from "./prompts.ts";
import { TerminalTexts } from "./terminals.ts";
import { ToolCallsInV1 } from "./tool-calls.ts";

/** How the receiver of translated updates differs from a plain v1 client. */
export interface ReceiverOptions {
  /** Whether it understands the updates and fields of v2 that v1 lacks. */
  readonly details: boolean;
  /** Whether it takes notices, compactions, boolean options and the updates about subagents. */
  readonly takes: (kind: "notices" | "compaction" | "booleans" | "subagents") => boolean;
}

/** The v1 updates that one v2 update becomes, and the prompts that it ends. */
export interface UpdateInV1 {
  readonly updates: readonly JsonObject[];
  readonly ended: readonly EndedPrompt[];
}

/** One session of a v2 agent: everything that is needed to express its updates in v1. */
export class SessionInV1 {
  readonly prompts = new PromptTracker();
  readonly messages = new ShownMessages();
  readonly terminals = new TerminalTexts();
  readonly toolCalls: ToolCallsInV1;
  readonly #receiver: ReceiverOptions;
  readonly #losses: LossCounter;
  readonly #plans = new BoundedMap<readonly JsonObject[]>({ ...KEPT_PLANS, weigh: weightOf });
  #cost: unknown;
  #modeId: unknown;
  #modeOptionId: string | undefined;

  constructor(receiver: ReceiverOptions, losses: LossCounter) {
    this.#receiver = receiver;
    this.#losses = losses;
    this.toolCalls = new ToolCallsInV1(this.terminals, losses, receiver.details);
  }

  /** The config option that stands for the mode; undefined if the agent has none. */
  get modeOptionId(): string | undefined {
    return this.#modeOptionId;
  }

  /** The v1 fields for the config options of a setup result. */
  setup(result: JsonObject): JsonObject {
    const { configOptions, availableCommands: _, ...rest } = result;
    if (configOptions === undefined || configOptions === null) return rest;
    const options = this.configOptions(configOptions);
    const mode = modeOptionOf(options);
    return {
      ...rest,
      configOptions: options,
      ...(mode ? { modes: modesOf(mode) } : {}),
    };
  }

  /** The update for a mode that changed with the config options; undefined if it did not. */
  modeChange(options: readonly JsonObject[], before: unknown): JsonObject | undefined {
    const mode = modeOptionOf(options)?.["currentValue"];
    if (mode === undefined || mode === before) return undefined;
    return { sessionUpdate: "current_mode_update", currentModeId: mode };
  }

  get modeId(): unknown {
    return this.#modeId;
  }

  /** Translates any update but the chunks of the agent's messages, which are the same in v1. */
  update(update: JsonObject): UpdateInV1 {
    const updates = this.#updates(update);
    const ended =
      update["sessionUpdate"] === "state_update" ? this.prompts.state(update) : NO_PROMPTS;
    return { updates, ended };
  }

  #updates(update: JsonObject): readonly JsonObject[] {
    const kind = update["sessionUpdate"];
    switch (kind) {
      case "tool_call_update":
        return listed(this.toolCalls.update(update));
      case "tool_call_content_chunk":
        return listed(this.toolCalls.append(update));
      case "terminal_update":
        return this.#terminal(update, this.terminals.update(update));
      case "terminal_output_chunk":
        return this.#terminal(update, this.terminals.append(update));
      case "user_message_chunk":
      case "agent_message_chunk":
      case "agent_thought_chunk":
        return this.#chunk(kind, update);
      case "user_message":
      case "agent_message":
      case "agent_thought":
        return this.#message(kind, update);
      case "state_update": {
        const late = update["state"] === "idle" ? this.#lateContent() : [];
        if (this.#receiver.details) return [...late, update];
        this.#losses.add("state");
        return late;
      }
      case "plan_update":
      case "plan_removed":
        return this.#plan(update);
      case "available_commands_update":
        return [{ ...update, availableCommands: this.#commands(update["availableCommands"]) }];
      case "config_option_update": {
        const before = this.#modeId;
        const configOptions = this.configOptions(update["configOptions"]);
        const mode = this.modeChange(configOptions, before);
        return [{ ...update, configOptions }, ...listed(mode)];
      }
      case "usage_update":
        return [this.#usage(update)];
      case "notice":
        return this.#unlessUnwanted("notices", update);
      case "compaction_update":
      case "compaction_summary_chunk":
        return this.#unlessUnwanted("compaction", update);
      case "subagent_update":
      case "session_message":
      case "session_message_chunk":
        return this.#unlessUnwanted("subagents", update);
      case "session_info_update":
        return [update];
      default:
        if (this.#receiver.details) return [update];
        this.#losses.add("update-kind");
        return [];
    }
  }

  commandsUpdate(commands: unknown): JsonObject {
    const availableCommands = this.#commands(commands);
    return { sessionUpdate: "available_commands_update", availableCommands };
  }

  #commands(commands: unknown): readonly JsonObject[] {
    if (onlyObjects(commands).some(({ type }) => type !== "command"))
      this.#losses.add("command-type");
    return commandsToV1(commands);
  }

  #chunk(kind: `${MessageKind}_chunk`, update: JsonObject): readonly JsonObject[] {
    const messageId = stringField(update, "messageId") ?? "";
    if (kind === "user_message_chunk" && this.prompts.userMessage(messageId)) {
      this.#losses.add("user-echo");
      return [];
    }
    const content = this.#block(update["content"]);
    if (content === undefined) return [];
    const shownId = this.messages.append(MESSAGE_OF[kind], messageId, content);
    if (shownId === messageId && content === update["content"]) return [update];
    return [{ ...update, messageId: shownId, content }];
  }

  /** A content block in v1's terms; undefined if v1 has no such block. */
  #block(content: unknown): unknown {
    if (this.#receiver.details) return content;
    const { block, isComplete } = blockToV1(content);
    if (!isComplete) this.#losses.add("content-kind");
    return block;
  }

  #message(kind: MessageKind, update: JsonObject): readonly JsonObject[] {
    const messageId = stringField(update, "messageId");
    if (messageId === undefined) return [update];
    const also = this.#receiver.details ? [update] : [];
    if (kind === "user_message" && this.prompts.userMessage(messageId)) {
      this.#losses.add("user-echo");
      return also;
    }
    const { content } = update;
    if (content === undefined) return also;
    const given = Array.isArray(content) ? content : [];
    const blocks = given.map((block) => this.#block(block)).filter((block) => isJsonObject(block));
    const { chunks, isReplaced } = this.messages.replace(kind, messageId, blocks);
    if (isReplaced) this.#losses.add("message-replaced");
    return [...also, ...chunks];
  }

  #terminal(update: JsonObject, changed: ReadonlySet<string>): readonly JsonObject[] {
    const calls = [...changed].map((toolCallId) => this.toolCalls.contentOf(toolCallId));
    return this.#receiver.details ? [update, ...calls] : calls;
  }

  /** The content of tool calls that has not been passed on yet, because it grew too little. */
  #lateContent(): readonly JsonObject[] {
    const late = new Set([...this.toolCalls.takeLate(), ...this.terminals.takeLate()]);
    return [...late].map((toolCallId) => this.toolCalls.contentOf(toolCallId));
  }

  #plan(update: JsonObject): readonly JsonObject[] {
    const plan = objectField(update, "plan");
    const planId = stringField(plan ?? update, "planId");
    if (planId === undefined) return [update];
    const entries = plan && plan["type"] === "items" ? objectsField(plan, "entries") : [];
    if (plan && plan["type"] === "items") this.#plans.set(planId, entries);
    else this.#plans.delete(planId);
    const all = [...this.#plans.values()].flat();
    const shown = planEntriesToV1(all);
    const isSame = shown.length === all.length && shown.every((entry, i) => entry === all[i]);
    if (this.#plans.size > 1 || !isSame || plan?.["type"] !== "items") this.#losses.add("plan");
    const inV1 = { sessionUpdate: "plan", entries: shown };
    return this.#receiver.details ? [update, inV1] : [inV1];
  }

  /** The v1 config options, remembering which one is the mode. */
  configOptions(given: unknown): readonly JsonObject[] {
    const all = optionsToV1(given);
    const takesBooleans = this.#receiver.takes("booleans");
    const options = all.filter(
      ({ type }) => type === "select" || (type === "boolean" && takesBooleans),
    );
    if (options.length < all.length) this.#losses.add("update-kind");
    const mode = modeOptionOf(options);
    this.#modeId = mode?.["currentValue"];
    this.#modeOptionId = mode && stringField(mode, "id");
    return options;
  }

  /** In v2, an omitted cost means that it did not change. */
  #usage(update: JsonObject): JsonObject {
    const { cost } = update;
    if (cost !== undefined) this.#cost = cost;
    const { cost: _, ...rest } = update;
    return isJsonObject(this.#cost) ? { ...rest, cost: this.#cost } : rest;
  }

  #unlessUnwanted(
    kind: "notices" | "compaction" | "subagents",
    update: JsonObject,
  ): readonly JsonObject[] {
    if (this.#receiver.takes(kind)) return [update];
    this.#losses.add("update-kind");
    return [];
  }
}

const KEPT_PLANS = { count: 100, chars: 1024 * 1024 };
const NO_PROMPTS: readonly EndedPrompt[] = [];

function listed(update: JsonObject | undefined): readonly JsonObject[] {
  return update === undefined ? [] : [update];
}

/** The message that a chunk belongs to. */
const MESSAGE_OF = {
  user_message_chunk: "user_message",
  agent_message_chunk: "agent_message",
  agent_thought_chunk: "agent_thought",
} as const;

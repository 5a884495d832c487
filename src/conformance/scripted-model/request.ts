import type { IncomingHttpHeaders } from "node:http";
import {
  asObject,
  isJsonObject,
  objectsField,
  stringField,
  type JsonObject,
} from "../../base/index.ts";

/** The APIs of model services that the server knows. */
export type ModelApi = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

interface ReceivedToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ReceivedToolResult {
  readonly id: string;
  readonly text: string;
}

export interface ReceivedMessage {
  readonly role: string;
  readonly text: string;
  readonly toolCalls: readonly ReceivedToolCall[];
  readonly toolResults: readonly ReceivedToolResult[];
  /** How many images (or other inline binary parts) the message carries. */
  readonly images: number;
}

export interface ReceivedTool {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
}

/** A request in a form that all dialects share. `body` and `headers` are the originals. */
export interface ModelRequest {
  readonly dialect: ModelApi;
  readonly path: string;
  readonly model: string;
  readonly stream: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  readonly system: string;
  readonly messages: readonly ReceivedMessage[];
  readonly tools: readonly ReceivedTool[];
  /** The JSON schema that the answer must follow, if the request has one. */
  readonly answerSchema: unknown;
}

export type CallEnd =
  /** The whole reply was written to the connection. */
  | "sent"
  /** The script broke the connection. */
  | "cut"
  /** The agent disconnected, or the server was closed. */
  | "aborted";

export interface ScriptedCall extends ModelRequest {
  /** Counts the calls of its kind (main or auxiliary) from 0. */
  readonly index: number;
  readonly auxiliary: boolean;
  readonly ended: Promise<CallEnd>;
}

/** The parts of a body that each API has in a form of its own. */
type Conversation = Pick<ModelRequest, "system" | "messages" | "tools" | "answerSchema">;

const PARSERS: Record<ModelApi, (body: JsonObject) => Conversation> = {
  "openai-chat": parseChat,
  "openai-responses": parseResponses,
  anthropic: parseAnthropic,
  gemini: parseGemini,
};

export function parseBody(dialect: ModelApi, body: JsonObject): Conversation {
  return PARSERS[dialect](body);
}

function message(role: string, fields: Partial<ReceivedMessage>): ReceivedMessage {
  return { role, text: "", toolCalls: [], toolResults: [], images: 0, ...fields };
}

function textIn(object: JsonObject, key: string): string {
  return stringField(object, key) ?? "";
}

/** A text, or the texts of a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsField({ content }, "content")
    .map((part) => textIn(part, "text"))
    .filter((part) => part !== "")
    .join("\n");
}

const IMAGE_TYPES: ReadonlySet<unknown> = new Set(["image_url", "input_image", "image"]);

function imagesIn(object: JsonObject): number {
  return objectsField(object, "content").filter(({ type }) => IMAGE_TYPES.has(type)).length;
}

/** The tools of a list, with the name of the field that has their schema. */
function toolsOf(definitions: readonly JsonObject[], schema: string): readonly ReceivedTool[] {
  return definitions.map((definition) => ({
    name: textIn(definition, "name"),
    description: textIn(definition, "description"),
    schema: definition[schema],
  }));
}

function isSystem({ role }: JsonObject): boolean {
  return role === "system" || role === "developer";
}

function parseChat(body: JsonObject): Conversation {
  const all = objectsField(body, "messages");
  const system = all.filter(isSystem).map(({ content }) => textOf(content));
  const functions = objectsField(body, "tools").map((entry) => asObject(entry["function"]));
  return {
    system: system.join("\n"),
    messages: all.filter((entry) => !isSystem(entry)).map(chatMessage),
    tools: toolsOf(functions, "parameters"),
    answerSchema: asObject(asObject(body["response_format"])["json_schema"])["schema"],
  };
}

function chatMessage(entry: JsonObject): ReceivedMessage {
  const text = textOf(entry["content"]);
  if (entry["role"] === "tool")
    return message("tool", { toolResults: [{ id: textIn(entry, "tool_call_id"), text }] });
  const toolCalls = objectsField(entry, "tool_calls").map((call) => {
    const made = asObject(call["function"]);
    const input = parseJsonOrText(textIn(made, "arguments"));
    return { id: textIn(call, "id"), name: textIn(made, "name"), input };
  });
  return message(textIn(entry, "role"), { text, toolCalls, images: imagesIn(entry) });
}

function parseResponses(body: JsonObject): Conversation {
  const { input } = body;
  const items =
    typeof input === "string" ? [{ role: "user", content: input }] : objectsField(body, "input");
  const system = [textIn(body, "instructions")];
  system.push(...items.filter(isSystem).map(({ content }) => textOf(content)));
  return {
    system: system.filter((entry) => entry !== "").join("\n"),
    messages: items.filter((entry) => !isSystem(entry)).map(responsesItem),
    tools: toolsOf(objectsField(body, "tools"), "parameters"),
    answerSchema: asObject(asObject(body["text"])["format"])["schema"],
  };
}

function responsesItem(entry: JsonObject): ReceivedMessage {
  const id = textIn(entry, "call_id");
  switch (entry["type"]) {
    case "function_call": {
      const input = parseJsonOrText(textIn(entry, "arguments"));
      return message("assistant", { toolCalls: [{ id, name: textIn(entry, "name"), input }] });
    }
    case "function_call_output":
      return message("tool", { toolResults: [{ id, text: textOf(entry["output"]) }] });
    case "reasoning":
      return message("assistant", { text: textOf(entry["summary"]) });
    default: {
      const text = textOf(entry["content"]);
      return message(textIn(entry, "role"), { text, images: imagesIn(entry) });
    }
  }
}

function parseAnthropic(body: JsonObject): Conversation {
  return {
    system: textOf(body["system"]),
    messages: objectsField(body, "messages").map(anthropicMessage),
    tools: toolsOf(objectsField(body, "tools"), "input_schema"),
    answerSchema:
      asObject(asObject(body["output_config"])["format"])["schema"] ??
      asObject(body["output_format"])["schema"],
  };
}

function anthropicMessage(entry: JsonObject): ReceivedMessage {
  const ofType = (type: string): readonly JsonObject[] =>
    objectsField(entry, "content").filter((block) => block["type"] === type);
  return message(textIn(entry, "role"), {
    text: textOf(entry["content"]),
    toolCalls: ofType("tool_use").map((block) => receivedCall(block, "input")),
    toolResults: ofType("tool_result").map((block) => ({
      id: textIn(block, "tool_use_id"),
      text: textOf(block["content"]),
    })),
    images: imagesIn(entry),
  });
}

function receivedCall(call: JsonObject, input: string): ReceivedToolCall {
  return { id: textIn(call, "id"), name: textIn(call, "name"), input: call[input] };
}

function parseGemini(body: JsonObject): Conversation {
  const config = asObject(body["generationConfig"]);
  const declared = objectsField(body, "tools")
    .flatMap((entry) => objectsField(entry, "functionDeclarations"))
    .map((one) => ({ ...one, schema: one["parametersJsonSchema"] ?? one["parameters"] }));
  return {
    system: textOf(asObject(body["systemInstruction"] ?? body["system_instruction"])["parts"]),
    messages: objectsField(body, "contents").map(geminiMessage),
    tools: toolsOf(declared, "schema"),
    answerSchema: config["responseJsonSchema"] ?? config["responseSchema"],
  };
}

function geminiMessage(entry: JsonObject): ReceivedMessage {
  const each = (key: string): readonly JsonObject[] =>
    objectsField(entry, "parts").flatMap((part) => {
      const value = part[key];
      return isJsonObject(value) && Object.keys(value).length > 0 ? [value] : [];
    });
  return message(entry["role"] === "model" ? "assistant" : textIn(entry, "role"), {
    text: textOf(entry["parts"]),
    toolCalls: each("functionCall").map((call) => receivedCall(call, "args")),
    toolResults: each("functionResponse").map((result) => ({
      id: textIn(result, "id"),
      text: JSON.stringify(result["response"]),
    })),
    images: each("inlineData").length,
  });
}

/** Parses tool arguments, which are JSON text in some dialects. Invalid JSON is returned as text. */
export function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

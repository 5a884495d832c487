import type { IncomingHttpHeaders } from "node:http";
import { type JsonObject, asObject } from "../../base/index.ts";
import { arrayOf, objectsOf, parseLoosely, stringOf } from "./json.ts";

/** The APIs of model services that the server knows. */
export type ModelApi = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

export interface ReceivedToolCall {
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

export type ParsedBody = Pick<
  ModelRequest,
  "model" | "stream" | "system" | "messages" | "tools" | "answerSchema"
>;

const parsers: Record<ModelApi, (body: JsonObject) => Omit<ParsedBody, "model" | "stream">> = {
  "openai-chat": parseChat,
  "openai-responses": parseResponses,
  anthropic: parseAnthropic,
  gemini: parseGemini,
};

export function parseBody(
  dialect: ModelApi,
  body: JsonObject,
): Omit<ParsedBody, "model" | "stream"> {
  return parsers[dialect](body);
}

function message(role: string, fields: Partial<ReceivedMessage>): ReceivedMessage {
  return { role, text: "", toolCalls: [], toolResults: [], images: 0, ...fields };
}

const imageTypes = new Set(["image_url", "input_image", "image"]);

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsOf(content)
    .map((part) => stringOf(part["text"]))
    .filter((part) => part !== "")
    .join("\n");
}

function imagesOf(content: unknown): number {
  return objectsOf(content).filter((part) => imageTypes.has(stringOf(part["type"]))).length;
}

function tool(name: unknown, description: unknown, schema: unknown): ReceivedTool {
  return { name: stringOf(name), description: stringOf(description), schema };
}

function parseChat(body: JsonObject): Omit<ParsedBody, "model" | "stream"> {
  const all = objectsOf(body["messages"]);
  const isSystem = (entry: JsonObject): boolean =>
    entry["role"] === "system" || entry["role"] === "developer";
  return {
    system: all
      .filter(isSystem)
      .map((entry) => textOf(entry["content"]))
      .join("\n"),
    messages: all.filter((entry) => !isSystem(entry)).map(chatMessage),
    tools: objectsOf(body["tools"]).map((entry) => {
      const definition = asObject(entry["function"]);
      return tool(definition["name"], definition["description"], definition["parameters"]);
    }),
    answerSchema: asObject(asObject(body["response_format"])["json_schema"])["schema"],
  };
}

function chatMessage(entry: JsonObject): ReceivedMessage {
  const role = stringOf(entry["role"]);
  const text = textOf(entry["content"]);
  if (role === "tool")
    return message("tool", { toolResults: [{ id: stringOf(entry["tool_call_id"]), text }] });
  const toolCalls = objectsOf(entry["tool_calls"]).map((call) => {
    const made = asObject(call["function"]);
    return {
      id: stringOf(call["id"]),
      name: stringOf(made["name"]),
      input: parseLoosely(stringOf(made["arguments"])),
    };
  });
  return message(role, { text, toolCalls, images: imagesOf(entry["content"]) });
}

function parseResponses(body: JsonObject): Omit<ParsedBody, "model" | "stream"> {
  const input = body["input"];
  const items = typeof input === "string" ? [{ role: "user", content: input }] : objectsOf(input);
  const isSystem = (entry: JsonObject): boolean =>
    entry["role"] === "system" || entry["role"] === "developer";
  const system = [
    stringOf(body["instructions"]),
    ...items.filter(isSystem).map((entry) => textOf(entry["content"])),
  ];
  return {
    system: system.filter((entry) => entry !== "").join("\n"),
    messages: items.filter((entry) => !isSystem(entry)).map(responsesItem),
    tools: objectsOf(body["tools"]).map((entry) =>
      tool(entry["name"], entry["description"], entry["parameters"]),
    ),
    answerSchema: asObject(asObject(body["text"])["format"])["schema"],
  };
}

function responsesItem(entry: JsonObject): ReceivedMessage {
  const id = stringOf(entry["call_id"]);
  switch (entry["type"]) {
    case "function_call": {
      const call = {
        id,
        name: stringOf(entry["name"]),
        input: parseLoosely(stringOf(entry["arguments"])),
      };
      return message("assistant", { toolCalls: [call] });
    }
    case "function_call_output":
      return message("tool", { toolResults: [{ id, text: textOf(entry["output"]) }] });
    case "reasoning":
      return message("assistant", { text: textOf(entry["summary"]) });
    default:
      return message(stringOf(entry["role"]), {
        text: textOf(entry["content"]),
        images: imagesOf(entry["content"]),
      });
  }
}

function parseAnthropic(body: JsonObject): Omit<ParsedBody, "model" | "stream"> {
  return {
    system: textOf(body["system"]),
    messages: objectsOf(body["messages"]).map(anthropicMessage),
    tools: objectsOf(body["tools"]).map((entry) =>
      tool(entry["name"], entry["description"], entry["input_schema"]),
    ),
    answerSchema:
      asObject(asObject(body["output_config"])["format"])["schema"] ??
      asObject(body["output_format"])["schema"],
  };
}

function anthropicMessage(entry: JsonObject): ReceivedMessage {
  const content = entry["content"];
  const blocks = objectsOf(content);
  const ofType = (type: string): JsonObject[] => blocks.filter((block) => block["type"] === type);
  return message(stringOf(entry["role"]), {
    text: textOf(content),
    toolCalls: ofType("tool_use").map((block) => ({
      id: stringOf(block["id"]),
      name: stringOf(block["name"]),
      input: block["input"],
    })),
    toolResults: ofType("tool_result").map((block) => ({
      id: stringOf(block["tool_use_id"]),
      text: textOf(block["content"]),
    })),
    images: imagesOf(content),
  });
}

function parseGemini(body: JsonObject): Omit<ParsedBody, "model" | "stream"> {
  const config = asObject(body["generationConfig"]);
  return {
    system: textOf(asObject(body["systemInstruction"] ?? body["system_instruction"])["parts"]),
    messages: objectsOf(body["contents"]).map(geminiMessage),
    tools: objectsOf(body["tools"]).flatMap((entry) =>
      objectsOf(entry["functionDeclarations"]).map((declared) =>
        tool(
          declared["name"],
          declared["description"],
          declared["parametersJsonSchema"] ?? declared["parameters"],
        ),
      ),
    ),
    answerSchema: config["responseJsonSchema"] ?? config["responseSchema"],
  };
}

function geminiMessage(entry: JsonObject): ReceivedMessage {
  const parts = objectsOf(entry["parts"]);
  const each = (key: string): JsonObject[] =>
    parts.flatMap((part) => arrayOf([part[key]]).map(asObject)).filter(filled);
  return message(entry["role"] === "model" ? "assistant" : stringOf(entry["role"]), {
    text: textOf(parts),
    toolCalls: each("functionCall").map((call) => ({
      id: stringOf(call["id"]),
      name: stringOf(call["name"]),
      input: call["args"],
    })),
    toolResults: each("functionResponse").map((result) => ({
      id: stringOf(result["id"]),
      text: JSON.stringify(result["response"]),
    })),
    images: each("inlineData").length,
  });
}

function filled(value: JsonObject): boolean {
  return Object.keys(value).length > 0;
}

import {
  isJsonObject,
  numberField,
  objectField,
  objectsField,
  splitCommandLine,
  stringField,
} from "../../base/index.ts";
import { lossOf, type SessionImport, type SessionLine } from "./imported.ts";

/** The captures that acp-devtools exports, version 1. Returns undefined for any other value. */
export function readAcpDevtools(value: unknown): SessionImport | undefined {
  if (!isJsonObject(value)) return undefined;
  const tool = objectField(value, "tool");
  if (tool?.["name"] !== "acp-devtools") return undefined;
  const session = objectField(value, "session") ?? {};
  const messages = objectsField(value, "messages");
  const zero = messages[0] && numberField(messages[0], "timestamp");
  const entries: SessionLine[] = [];
  let isRedacted = false;
  let isRebuilt = false;
  let unreadable = 0;
  for (const message of messages) {
    const direction = directionOf(message["direction"]);
    const raw = stringField(message, "raw");
    const line =
      raw ?? (isJsonObject(message["payload"]) ? JSON.stringify(message["payload"]) : "");
    if (direction === undefined || line === "") {
      unreadable++;
      continue;
    }
    isRebuilt ||= raw === undefined;
    isRedacted ||= line.includes("<REDACTED>");
    const ms = (numberField(message, "timestamp") ?? zero ?? 0) - (zero ?? 0);
    entries.push({ ms, direction, line });
  }
  const command = commandOf(stringField(session, "agentCommand") ?? "");
  const client = stringField(session, "clientName");
  return {
    header: {
      format: "acp-devtools",
      version: numberField(value, "version"),
      ...(zero === undefined ? {} : { startedAt: new Date(zero).toISOString() }),
      redacted: isRedacted || undefined,
      ...(command.length > 0 ? { agent: { name: nameOf(command), command } } : {}),
      ...(client === undefined ? {} : { client: { name: client } }),
      isTimed: zero !== undefined,
    },
    entries,
    losses: [
      ...(zero === undefined ? [lossOf("times")] : []),
      ...(isRebuilt ? [lossOf("raw")] : []),
      lossOf("stderr"),
      lossOf("decisions"),
      ...(unreadable > 0 ? [lossOf("unreadable", unreadable)] : []),
    ],
  };
}

function directionOf(value: unknown): SessionLine["direction"] | undefined {
  if (value === "editor-to-agent") return "out";
  return value === "agent-to-editor" ? "in" : undefined;
}

function commandOf(text: string): readonly string[] {
  try {
    return splitCommandLine(text);
  } catch {
    return [text];
  }
}

/** The program, without its folder; for a runner of packages, the package. */
function nameOf(command: readonly string[]): string {
  const words = command.filter((word) => !word.startsWith("-"));
  const [first = "", second] = words;
  const name = /^(?:npx|bunx|uvx)$/.test(first) ? (second ?? first) : first;
  return name.slice(name.lastIndexOf("/") + 1);
}

import type { DroidEvent } from "../../src/entries/droid.ts";

const MAX_LENGTH = 300;

/** Formats an event as one line for golden files: short enough to read, complete enough to compare. */
export function formatEvent(event: DroidEvent): string {
  const { type, ...fields } = event;
  const shown = Object.entries(fields).flatMap(([key, value]) =>
    key === "raw" || value === undefined ? [] : [`${key}=${cut(jsonOf(key, value))}`],
  );
  return [type, ...shown].join(" ");
}

function jsonOf(key: string, value: unknown): string {
  if (key !== "settings") return JSON.stringify(value);
  // The raw settings repeat the fields.
  return JSON.stringify({ ...(value as object), raw: undefined });
}

function cut(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}… (${text.length})`;
}

/** Events that do not distinguish scenarios: their timing varies, or they describe the machine. */
const INCIDENTAL: ReadonlySet<string> = new Set(["usage", "title", "mcp", "settings"]);

/**
 * Formats events without the parts that differ from run to run: ids, times, how text was split into
 * pieces, and the progress of tools. Two runs of one scenario have the same shape.
 */
export function shapeOf(events: readonly DroidEvent[]): string[] {
  const lines: string[] = [];
  let open: { key: string; text: string } | undefined;
  const flush = (): void => {
    if (open) lines.push(`${open.key} ${JSON.stringify(open.text)}`);
    open = undefined;
  };
  for (const event of events) {
    if (event.type === "text" || event.type === "thinking") {
      if (open?.key === event.type) open.text += event.text;
      else {
        flush();
        open = { key: event.type, text: event.text };
      }
      continue;
    }
    const line = shapeOfOther(event);
    if (line === undefined || line === lines.at(-1)) continue;
    flush();
    lines.push(line);
  }
  flush();
  return lines;
}

function shapeOfOther(event: DroidEvent): string | undefined {
  if (INCIDENTAL.has(event.type)) return undefined;
  switch (event.type) {
    case "tool_call":
      // How the input grew depends on how the model streamed it.
      return event.isComplete
        ? `tool_call ${event.name} ${JSON.stringify(event.input)} ${event.phase ?? ""}`
        : undefined;
    case "tool_progress":
      return `tool_progress ${event.name}`;
    case "tool_result":
      return `tool_result ${event.isError ? "error" : "ok"} ${JSON.stringify(withoutIds(event.content))}`;
    case "plan":
      return `plan ${JSON.stringify(event.entries)}`;
    case "state":
      // Depending on the version, the last idle comes before or after the end.
      return event.state === "idle" ? undefined : `state ${event.state}`;
    case "permission_resolved":
      return `permission_resolved ${event.option} of ${event.toolIds.length}`;
    case "structured_output":
      return `structured_output ${JSON.stringify(event.value)}`;
    case "notice":
      return event.kind === "hook"
        ? `notice hook ${event.stage} ${event.event}`
        : `notice ${event.kind}${event.kind === "message" ? ` ${withoutIds(event.text)}` : ""}`;
    case "error":
      return `error ${event.failure.reason} ${event.failure.message}`;
    case "unknown":
      return `unknown ${String(event.notification["type"])}`;
    default:
      return event.type;
  }
}

function withoutIds(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, "<id>")
    .replaceAll(/\d{4}-\d\d-\d\d-/g, "<date>-");
}

import { bytesOf, numberField, stringField, type JsonObject } from "../../base/index.ts";
import { lossOf, type SessionLine } from "./imported.ts";
import type { LineFormat } from "./line-format.ts";

const DIRECTIONS: ReadonlyMap<unknown, SessionLine["direction"]> = new Map([
  ["client -> agent", "out"],
  ["agent -> client", "in"],
]);

/**
 * The traces of sagikazarmark's inspector, version 1, and those of its bridge (`--trace-frames`), which have
 * neither a header nor times.
 */
export const acpInspectorFormat: LineFormat = {
  matches: (first) =>
    (first["type"] === "header" && first["format"] === "acp-inspector-trace") || isFrame(first),
  open: (first) => {
    const dropped = numberField(first, "dropped") ?? 0;
    const isBridge = isFrame(first);
    const isTimed = !isBridge || numberField(first, "at") !== undefined;
    let zero: number | undefined;
    let firstConnection: unknown;
    return {
      // The header says when the trace was saved; the first frame follows it.
      header: { format: "acp-inspector", version: numberField(first, "version"), isTimed },
      read: (value): SessionLine | "unreadable" | undefined => {
        if (value["type"] === "header") return undefined;
        const line = textOf(value);
        const direction = DIRECTIONS.get(value["direction"]);
        if (line === undefined || direction === undefined) return "unreadable";
        const at = numberField(value, "at") ?? 0;
        zero ??= at;
        const { connection } = value;
        firstConnection ??= connection;
        const lane =
          connection === firstConnection ? undefined : `connection ${String(connection)}`;
        return { ms: at - zero, direction, line, ...(lane === undefined ? {} : { lane }) };
      },
      losses: () => [
        ...(isTimed ? [] : [lossOf("times")]),
        lossOf("stderr"),
        lossOf("decisions"),
        ...(dropped > 0 ? [lossOf("dropped", dropped)] : []),
      ],
    };
  },
};

function isFrame(value: JsonObject): boolean {
  return typeof value["frame"] === "string" && typeof value["encoding"] === "string";
}

function textOf(value: JsonObject): string | undefined {
  const frame = stringField(value, "frame");
  if (frame === undefined || value["encoding"] !== "base64") return frame;
  return new TextDecoder().decode(bytesOf(frame));
}

import { numberField, stringField, type JsonObject } from "../../base/index.ts";
import { lossOf, roundMs, type SessionLine } from "./imported.ts";
import type { LineFormat } from "./line-format.ts";

const TYPES = new Set<unknown>(["request", "response", "notification"]);

/** The traces of the Rust SDK's conductor (`.jsons`), in which there may be proxies between the two ends. */
export const conductorFormat: LineFormat = {
  matches: (first) =>
    TYPES.has(first["type"]) &&
    typeof first["from"] === "string" &&
    typeof first["to"] === "string",
  open: () => {
    const parties = new Parties();
    let zero: number | undefined;
    return {
      header: { format: "conductor", isTimed: true },
      read: (value): SessionLine | "unreadable" => {
        const from = stringField(value, "from");
        const to = stringField(value, "to");
        const seconds = numberField(value, "ts");
        if (from === undefined || to === undefined || seconds === undefined) return "unreadable";
        if (!TYPES.has(value["type"])) return "unreadable";
        zero ??= seconds;
        const place = parties.place(from, to, value["protocol"] === "mcp");
        return { ms: roundMs((seconds - zero) * 1000), ...place, line: lineOf(value) };
      },
      losses: () => [lossOf("raw"), lossOf("stderr"), lossOf("decisions")],
    };
  },
};

function lineOf(value: JsonObject): string {
  const { type, id, method, params, payload } = value;
  const jsonrpc = "2.0";
  if (type === "response")
    return JSON.stringify(
      value["is_error"] === true
        ? { jsonrpc, id, error: payload }
        : { jsonrpc, id, result: payload },
    );
  return JSON.stringify(
    type === "request" ? { jsonrpc, id, method, params } : { jsonrpc, method, params },
  );
}

/** How far each party is from the client. A pair of neighbours is a lane. */
class Parties {
  readonly #others = new Map<string, number>();

  place(from: string, to: string, isMcp: boolean): Pick<SessionLine, "direction" | "lane"> {
    const isOut = this.#distance(from) < this.#distance(to);
    const direction = isOut ? "out" : "in";
    const pair = isOut ? [from, to] : [to, from];
    const name = pair.join(" - ");
    if (isMcp) return { direction, lane: `${name} (MCP)` };
    return name === "Client - Agent" ? { direction } : { direction, lane: name };
  }

  #distance(name: string): number {
    if (name === "Client") return 0;
    if (name === "Agent") return Infinity;
    const index = /^Proxy\((\d+)\)$/.exec(name)?.[1];
    if (index !== undefined) return 1 + Number(index);
    // A party of another name, such as an MCP server, is beyond those that were seen before it.
    const known = this.#others.get(name) ?? 1e6 + this.#others.size;
    this.#others.set(name, known);
    return known;
  }
}

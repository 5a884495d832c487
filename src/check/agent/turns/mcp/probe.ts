import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../../../wire/index.ts";
import { PROBE_PROGRAM } from "./probe-program.ts";

/** How a probe server behaves: answers, exits at once, or never answers. */
export type ProbeMode = "well" | "exits" | "hangs";

/** An MCP server that records who started it and what it was asked. */
export interface StdioProbe {
  /** The server as in `mcpServers` of a session. */
  readonly config: JsonObject & { readonly name: string };
  /** The word that its tool returns, which it knows only from the environment of its config. */
  readonly word: string;
  /** The record so far, oldest first. */
  events(): Promise<readonly JsonObject[]>;
}

/** Writes the program of a probe into a folder and returns its config. The agent starts it. */
export async function stdioProbe(
  folder: string,
  name: string,
  mode: ProbeMode = "well",
): Promise<StdioProbe> {
  const program = join(folder, "probe.mjs");
  const record = join(folder, `${name}.jsonl`);
  const word = `word-of-${name}`;
  await writeFile(program, PROBE_PROGRAM);
  return {
    config: {
      name,
      command: process.execPath,
      args: [program, record, mode, "first word", "second"],
      env: [{ name: "DRAGOMAN_PROBE", value: word }],
    },
    word,
    events: async () => parseRecord(await readFile(record, "utf8").catch(() => "")),
  };
}

/** The record of a probe: a JSON object per line. A line that is being written is left out. Pure. */
function parseRecord(text: string): readonly JsonObject[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line))
    .filter(isJsonObject);
}

/** Whether a probe was started. */
export function started(events: readonly JsonObject[]): JsonObject | undefined {
  return events.find(({ event }) => event === "started");
}

/** Whether a probe was asked for its tools. */
export function wasListed(events: readonly JsonObject[]): boolean {
  return events.some(({ event, method }) => event === "asked" && method === "tools/list");
}

// The lines that the agents of a fleet really got and sent, from copies of their stdin and stdout.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  asObject,
  type JsonObject,
  objectsField,
  parseJsonObject,
  stringField,
} from "../../../../src/base/index.ts";

/** A prompt that reached an agent. */
export interface RecordedPrompt {
  /** How many times it reached one. */
  runs: number;
  /** Everything that the agent said about it. */
  text: string;
}

/** A shell command that runs an agent, and keeps copies of its stdin and stdout in a folder. */
export function recorded(folder: string, command: readonly string[]): readonly string[] {
  const quoted = command.map((word) => `'${word}'`).join(" ");
  // A process may be killed before the second tee has created its file.
  const script = `f=$(date +%s%N)-$$; : > '${folder}'/$f.out; tee '${folder}'/$f.in | ${quoted} | tee '${folder}'/$f.out`;
  return ["-c", script];
}

/** Reads all copies. The prompts are found by their texts. */
export function readRecords(folder: string): ReadonlyMap<string, RecordedPrompt> {
  const prompts = new Map<string, RecordedPrompt>();
  const names = readdirSync(folder).filter((name) => name.endsWith(".in"));
  for (const name of names) {
    const got = framesIn(join(folder, name));
    const sent = framesIn(join(folder, name.replace(/in$/, "out")));
    readProcess(prompts, got, sent);
  }
  return prompts;
}

function readProcess(
  prompts: Map<string, RecordedPrompt>,
  got: readonly JsonObject[],
  sent: readonly JsonObject[],
): void {
  const requests = got.filter(
    (frame) => frame["method"] !== undefined && frame["id"] !== undefined,
  );
  for (const request of requests) {
    const text = promptOf(request);
    if (text === undefined) continue;
    const known = prompts.get(text) ?? { runs: 0, text: "" };
    prompts.set(text, { ...known, runs: known.runs + 1 });
  }
  // The requests of a session come one after the other, so text belongs to the oldest open one.
  let at = 0;
  for (const frame of sent) {
    const open = requests[at];
    if (frame["method"] === undefined && open && frame["id"] === open["id"]) at++;
    const prompt = open && prompts.get(promptOf(open) ?? "");
    if (prompt) prompt.text += textOfUpdate(asObject(frame["params"]));
  }
}

function promptOf({ method, params }: JsonObject): string | undefined {
  if (method !== "session/prompt") return undefined;
  const [block] = objectsField(asObject(params), "prompt");
  return block && stringField(block, "text");
}

/** The text of an agent's message; empty for every other update. */
export function textOfUpdate(params: JsonObject): string {
  const update = asObject(params["update"]);
  if (update["sessionUpdate"] !== "agent_message_chunk") return "";
  return stringField(asObject(update["content"]), "text") ?? "";
}

function framesIn(file: string): readonly JsonObject[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .map((line) => parseJsonObject(line))
    .filter((frame) => frame !== undefined);
}

import { asObject, type JsonObject, objectField, stringField } from "../../../base/index.ts";
import type { LoggedEntry } from "../engine.ts";
import { type LoggedTurnEnd, readEntry, type FleetEntry } from "../session/entries.ts";

/** Longer answers lose their beginning; the log has all of them. */
const MAX_ANSWER_CHARS = 256 * 1024;

/** The turns of a job, as its log has them. */
export interface JobTurns {
  /** The end of the last turn; undefined if none has ended. */
  readonly end: LoggedTurnEnd | undefined;
  /** The agent's messages in the last turn. */
  readonly answer: string;
  /** The messages after the last tool call. */
  readonly finalText: string;
  /** The usage that the agent reported last. */
  readonly usage: JsonObject | undefined;
  /** The position of the last entry that was read. */
  readonly position: number;
}

/** Reads the log of a job, until a turn ends or the log does. Rejects with FleetError. */
export async function readTurns(
  entries: AsyncIterable<LoggedEntry>,
  options: {
    /** The prompt whose end is the end. Default: the end of the log. */
    readonly until?: string;
    /** Called with each entry. */
    readonly watch?: (entry: FleetEntry) => void;
  } = {},
): Promise<JobTurns> {
  let turns: JobTurns = {
    end: undefined,
    answer: "",
    finalText: "",
    usage: undefined,
    position: 0,
  };
  for await (const { position, text } of entries) {
    const entry = readEntry(text);
    options.watch?.(entry);
    turns = { ...withEntry(turns, entry), position };
    if (entry.type === "turn_ended" && entry.id === options.until) break;
  }
  return turns;
}

/** Pure: the same with one more entry. */
function withEntry(turns: JobTurns, entry: FleetEntry): JobTurns {
  if (entry.type === "turn_started") return { ...turns, answer: "", finalText: "" };
  if (entry.type === "turn_ended") return { ...turns, end: entry };
  if (entry.type !== "update") return turns;
  const update = asObject(entry.params["update"]);
  switch (update["sessionUpdate"]) {
    case "usage_update":
      return { ...turns, usage: update };
    case "tool_call":
      return { ...turns, finalText: "" };
    case "agent_message_chunk": {
      const content = objectField(update, "content");
      const more = (content && stringField(content, "text")) ?? "";
      return {
        ...turns,
        answer: (turns.answer + more).slice(-MAX_ANSWER_CHARS),
        finalText: (turns.finalText + more).slice(-MAX_ANSWER_CHARS),
      };
    }
    default:
      return turns;
  }
}

import { paramsFaults, resultFaults } from "../../index.ts";
import { faultTexts } from "./sent-faults.ts";
import { objectField, stringField, type JsonObject } from "../../../base/index.ts";
import type { VerdictBook } from "../verdicts.ts";
import type { AgentFrame, CheckingAgent } from "./agent.ts";

/** The requirements that are judged over all frames of all cases. */
export const PASSIVE_IDS = ["DRC-FRAME-01"] as const;

type PassiveId = (typeof PASSIVE_IDS)[number];

/** Judges every line that the client wrote. */
export class PassiveJudge {
  readonly #broken: { readonly frame: AgentFrame; readonly why: string }[] = [];
  #frames = 0;

  see(agent: CheckingAgent): void {
    for (const frame of agent.received) {
      this.#frames++;
      const why = frameFault(frame, agent);
      if (why !== undefined && this.#broken.length < 10) this.#broken.push({ frame, why });
    }
  }

  judge(id: PassiveId, book: VerdictBook): void {
    const [first] = this.#broken;
    if (this.#frames === 0) book.untested(id, "the client wrote nothing");
    else if (!first) book.pass(id, `${this.#frames} lines are valid messages`);
    else {
      const frames = this.#broken.map(({ frame }) => frame);
      book.fail(id, first.why, frames);
    }
  }
}

const MESSAGE_KEYS = ["jsonrpc", "id", "method", "params", "result", "error", "_meta"];

/** Why a line of the client is not a valid message; undefined if it is one. */
export function frameFault(
  { json, line, isBroken }: AgentFrame,
  agent: CheckingAgent,
): string | undefined {
  if (isBroken) return "a line is not valid UTF-8";
  if (!json) return `a line is not a JSON object: ${line.slice(0, 100)}`;
  if (json["jsonrpc"] !== "2.0") return `a message has no "jsonrpc": "2.0"`;
  const other = Object.keys(json).find((key) => !MESSAGE_KEYS.includes(key));
  if (other !== undefined) return `a message has the unknown field "${other}"`;
  const method = stringField(json, "method");
  if (method !== undefined) return paramsFault(method, json, agent);
  const isAnswer = "result" in json !== "error" in json;
  if (!isAnswer || !("id" in json)) return "a message is neither a request nor an answer";
  // Answers to lines that are not messages are judged by another requirement.
  if (json["id"] === null) return undefined;
  const asked = agent.requested(json["id"]);
  if (asked === undefined || !("result" in json)) return undefined;
  const [fault] = faultTexts(resultFaults(asked, json["result"], agent.protocol, true));
  return fault === undefined ? undefined : `the result of ${asked}: ${fault}`;
}

function paramsFault(method: string, json: JsonObject, agent: CheckingAgent): string | undefined {
  const version = objectField(json, "params")?.["protocolVersion"];
  const protocol = method === "initialize" && version === 1 ? 1 : agent.protocol;
  const context = { from: "client", isRequest: "id" in json, protocol, isUnstable: true } as const;
  const [fault] = faultTexts(paramsFaults(method, json["params"], context));
  return fault === undefined ? undefined : `${method}: ${fault}`;
}

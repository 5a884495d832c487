import { paramsFaults, resultFaults } from "../../conformance/index.ts";
import { objectField, stringField, type JsonObject } from "../../wire/index.ts";
import type { VerdictBook } from "../verdicts.ts";
import type { AgentFrame, CheckingAgent } from "./agent.ts";

/** The requirements that are judged over all frames of all cases. */
export const PASSIVE_IDS = ["DRC-FRAME-01"] as const;

type PassiveId = (typeof PASSIVE_IDS)[number];

/** The faults of a message of the checking agent; `method` is that of the request it answers. */
export function sentFaults(
  message: JsonObject,
  method: string | undefined,
  protocol: 1 | 2,
): readonly string[] {
  const called = stringField(message, "method");
  const context = {
    from: "agent",
    isRequest: "id" in message,
    protocol,
    isUnstable: true,
  } as const;
  if (called !== undefined) return texts(paramsFaults(called, message["params"], context));
  if (method === undefined || !("result" in message)) return [];
  return texts(resultFaults(method, message["result"], protocol, true));
}

/** Judges every line that the client wrote. */
export class PassiveJudge {
  readonly #broken: { readonly frame: AgentFrame; readonly why: string }[] = [];
  #frames = 0;

  see(agent: CheckingAgent): void {
    for (const frame of agent.received) {
      this.#frames++;
      const why = faultOf(frame, agent);
      if (why !== undefined && this.#broken.length < 10) this.#broken.push({ frame, why });
    }
  }

  judge(id: PassiveId, book: VerdictBook): void {
    const [first] = this.#broken;
    if (this.#frames === 0) book.untested(id, "the client wrote nothing");
    else if (!first) book.pass(id, `${this.#frames} lines are valid messages`);
    else {
      book.fail(id, {
        expected: "every line is a valid message of the protocol in UTF-8",
        actual: first.why,
        frames: this.#broken.map(({ frame }) => frame),
      });
    }
  }
}

/** Why a line of the client is not a valid message; undefined if it is one. */
function faultOf({ json, line, isBroken }: AgentFrame, agent: CheckingAgent): string | undefined {
  if (isBroken) return "a line is not valid UTF-8";
  if (!json) return `a line is not a JSON object: ${line.slice(0, 100)}`;
  if (json["jsonrpc"] !== "2.0") return `a message has no "jsonrpc": "2.0"`;
  const method = stringField(json, "method");
  if (method !== undefined) return paramsFault(method, json, agent);
  const isAnswer = "result" in json !== "error" in json;
  if (!isAnswer || !("id" in json)) return "a message is neither a request nor an answer";
  // Answers to lines that are not messages are judged by another requirement.
  if (json["id"] === null) return undefined;
  const request = agent.frames.find(
    (frame) =>
      frame.direction === "out" &&
      frame.json?.["id"] === json["id"] &&
      "method" in (frame.json ?? {}),
  );
  const asked = stringField(request?.json ?? {}, "method");
  if (asked === undefined || !("result" in json)) return undefined;
  const [fault] = texts(resultFaults(asked, json["result"], agent.protocol, true));
  return fault === undefined ? undefined : `the result of ${asked}: ${fault}`;
}

function paramsFault(method: string, json: JsonObject, agent: CheckingAgent): string | undefined {
  const version = objectField(json, "params")?.["protocolVersion"];
  const protocol = method === "initialize" && version === 1 ? 1 : agent.protocol;
  const context = { from: "client", isRequest: "id" in json, protocol, isUnstable: true } as const;
  const [fault] = texts(paramsFaults(method, json["params"], context));
  return fault === undefined ? undefined : `${method}: ${fault}`;
}

function texts(faults: ReturnType<typeof paramsFaults>): readonly string[] {
  return faults.map(({ path, message }) => `${path} ${message}`);
}

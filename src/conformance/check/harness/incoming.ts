import { isJsonObject, type JsonObject } from "../../../base/index.ts";
import type { EvidenceFrame } from "../result.ts";

/** The checker's answer to a request of the agent. `hold`: the case answers later, or never. */
export type ClientAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | "hold";

/** A request of the agent. */
export interface SubjectRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: JsonObject;
  /** The position of its frame. */
  readonly n: number;
  readonly frame: EvidenceFrame;
  /** Answers it. A second answer is a fault of the checker. */
  answer(answer: Exclude<ClientAnswer, "hold">): Promise<void>;
  readonly isAnswered: boolean;
}

/** Decides about a request of the agent. */
export type RequestAnswerer = (request: SubjectRequest) => ClientAnswer | Promise<ClientAnswer>;

/** The answers of a client that offers nothing and allows nothing. */
export function refuse({ method, params }: SubjectRequest): ClientAnswer {
  if (method === "session/request_permission") return { result: { outcome: denial(params) } };
  return { error: { code: -32601, message: `method not found: ${method}` } };
}

/** The first option that denies once, or else the outcome `cancelled`. */
function denial(params: JsonObject): JsonObject {
  return chosen(params, "reject_once") ?? { outcome: "cancelled" };
}

/** The outcome that selects the first option of a kind; undefined if there is none. */
export function chosen(params: JsonObject, kind: string): JsonObject | undefined {
  const options: readonly unknown[] = Array.isArray(params["options"]) ? params["options"] : [];
  const option = options.filter(isJsonObject).find((one) => one["kind"] === kind);
  return option && { outcome: "selected", optionId: option["optionId"] };
}

/** The capabilities of a client that offers files, terminals and forms. */
export const EVERYTHING: JsonObject = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {} },
};

/** The answers of a client that offers everything, reads empty files, and runs nothing. */
export function pretend(request: SubjectRequest): ClientAnswer {
  const { method, n } = request;
  switch (method) {
    case "fs/read_text_file":
      return { result: { content: "" } };
    case "fs/write_text_file":
    case "terminal/kill":
    case "terminal/release":
      return { result: {} };
    case "terminal/create":
      return { result: { terminalId: `terminal-${n}` } };
    case "terminal/output":
      return { result: { output: "", truncated: false, exitStatus: { exitCode: 0 } } };
    case "terminal/wait_for_exit":
      return { result: { exitCode: 0 } };
    case "elicitation/create":
      return { result: { action: "decline" } };
    default:
      return refuse(request);
  }
}

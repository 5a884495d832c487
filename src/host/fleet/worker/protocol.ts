import { RpcError } from "../../../transport/rpc/index.ts";
import {
  type ErrorCode,
  asObject,
  type JsonObject,
  numberField,
  objectField,
  objectsField,
  parseJsonObject,
  stringField,
  toError,
} from "../../../base/index.ts";
import { FleetError } from "../errors.ts";

export type OwnerRequest = SessionRequest | DescribeRequest;

/** Asks a worker for an agent's answer to `initialize`. */
interface DescribeRequest {
  readonly type: "describe";
  readonly agent: string;
}

export type SessionRequest =
  /** Opens the session, if it is not open. */
  | { readonly type: "open"; readonly session: string }
  /** Accepts a prompt. The same id is accepted once. */
  | {
      readonly type: "prompt";
      readonly session: string;
      readonly id: string;
      readonly by: string;
      readonly prompt: readonly JsonObject[];
    }
  /** Cancels the running turn and the prompts that wait. */
  | { readonly type: "cancel"; readonly session: string }
  /** Answers a question of the agent. The first answer counts. */
  | {
      readonly type: "answer";
      readonly session: string;
      readonly id: string;
      readonly by: string;
      readonly result: JsonObject;
    }
  /** Sends any other request to the agent, such as `session/set_mode`. `params` has no session id. */
  | {
      readonly type: "request";
      readonly session: string;
      readonly method: string;
      readonly params: JsonObject;
    }
  /** Ends the agent's process and gives the session back. It can be opened again. */
  | { readonly type: "close"; readonly session: string };

export function writeRequest(request: OwnerRequest): string {
  return JSON.stringify(request);
}

/** Pure: reads a call. Throws FleetError `invalid`. */
export function readRequest(text: string): OwnerRequest {
  const raw = asObject(parseJsonObject(text));
  const session = stringField(raw, "session");
  const id = stringField(raw, "id") ?? "";
  const by = stringField(raw, "by") ?? "";
  const type = raw["type"];
  if (type === "describe") return { type, agent: stringField(raw, "agent") ?? "" };
  if (session === undefined) throw new FleetError("invalid_argument", "the call names no session");
  switch (type) {
    case "open":
    case "cancel":
    case "close":
      return { type, session };
    case "prompt":
      return { type, session, id, by, prompt: objectsField(raw, "prompt") };
    case "answer":
      return { type, session, id, by, result: asObject(raw["result"]) };
    case "request": {
      const method = stringField(raw, "method") ?? "";
      return { type, session, method, params: asObject(raw["params"]) };
    }
    default:
      throw new FleetError("invalid_argument", `the call ${JSON.stringify(type)} is unknown`);
  }
}

/** Pure: an error as the answer to a call. Errors of the agent and of the fleet stay what they are. */
export function writeErrorAnswer(thrown: unknown): string {
  const { message } = toError(thrown);
  if (thrown instanceof RpcError) {
    const { rpcCode: code, data } = thrown;
    return JSON.stringify({ rpc: { code, message, data } });
  }
  const code = thrown instanceof FleetError ? thrown.code : "remote_error";
  return JSON.stringify({ fleet: { code, message } });
}

/** Pure: the result of an answer. Throws the RpcError or FleetError that it holds. */
export function readAnswer(text: string): JsonObject {
  const raw = asObject(parseJsonObject(text));
  const rpc = objectField(raw, "rpc");
  if (rpc) {
    const { data } = rpc;
    throw new RpcError(numberField(rpc, "code") ?? 0, stringField(rpc, "message") ?? "", data);
  }
  const fleet = objectField(raw, "fleet");
  if (fleet) throw new FleetError(codeOf(fleet), stringField(fleet, "message") ?? "");
  return asObject(raw["result"]);
}

/** The codes with which a worker answers. */
const ANSWER_CODES: readonly ErrorCode[] = [
  "fenced",
  "try_later",
  "unavailable",
  "no_owner",
  "closed",
  "invalid_argument",
  "session_not_found",
];

function codeOf(fleet: JsonObject): ErrorCode {
  return ANSWER_CODES.find((code) => code === fleet["code"]) ?? "remote_error";
}

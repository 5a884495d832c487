import { asObject, stringField, type JsonObject } from "../../../../wire/index.ts";

/** A request of the agent. */
export interface AgentRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: JsonObject;
}

/** An answer to a request of the agent. `never` leaves it open. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | "never";

/** Answers some requests of the agent, and leaves the others to the next answerer. */
export type Answerer = (request: AgentRequest) => Reply | undefined | Promise<Reply | undefined>;

/** The error that says that a file or a terminal does not exist. */
export const NOT_FOUND = -32002;

export function refuse(code: number, message: string): Reply {
  return { error: { code, message } };
}

/** A request as a frame of the wire shows it. Pure. */
export function agentRequestOf(frame: JsonObject): AgentRequest | undefined {
  const method = stringField(frame, "method");
  if (method === undefined || !("id" in frame)) return undefined;
  return { id: frame["id"], method, params: asObject(frame["params"]) };
}

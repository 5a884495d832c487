import { type JsonObject, objectsField, stringField } from "../../../base/index.ts";
import type { EvidenceFrame } from "../check-report.ts";

/** The checker's answer to a request of the agent. `hold`: the case answers later, or never. */
export type ClientAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | "hold";

type FinalAnswer = Exclude<ClientAnswer, "hold">;

/** A request of the agent. */
export interface SubjectRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: JsonObject;
  /** The position of its frame. */
  readonly n: number;
  readonly frame: EvidenceFrame;
  /** Answers it. A second answer is a fault of the checker. */
  answer(answer: FinalAnswer): Promise<void>;
}

/** Decides about a request of the agent. */
export type RequestAnswerer = (request: SubjectRequest) => ClientAnswer | Promise<ClientAnswer>;

export const PERMISSION = "session/request_permission";

/** The answer that closes the question without a choice. */
export const CANCELLED = { result: { outcome: { outcome: "cancelled" } } };

export function permissionOptionsIn({
  params,
}: Pick<SubjectRequest, "params">): readonly JsonObject[] {
  return objectsField(params, "options");
}

/** The answer that selects an option; `cancelled` if there is none. */
export function select(option: JsonObject | undefined): FinalAnswer {
  const optionId = option && stringField(option, "optionId");
  if (optionId === undefined) return CANCELLED;
  return { result: { outcome: { outcome: "selected", optionId } } };
}

/** The first option of one of the kinds, in the order of the kinds. */
export function permissionOption(
  request: Pick<SubjectRequest, "params">,
  kinds: readonly string[],
): JsonObject | undefined {
  for (const kind of kinds) {
    const found = permissionOptionsIn(request).find((option) => option["kind"] === kind);
    if (found) return found;
  }
  return undefined;
}

/** Allows once if that is offered. */
export function allow(request: SubjectRequest): FinalAnswer {
  return select(permissionOption(request, ["allow_once", "allow_always"]));
}

/** Rejects once if that is offered. */
export function reject(request: SubjectRequest): FinalAnswer {
  return select(permissionOption(request, ["reject_once", "reject_always"]));
}

export const hold: RequestAnswerer = () => "hold";

export function refuse(request: SubjectRequest): ClientAnswer {
  const { method } = request;
  if (method === PERMISSION) return select(permissionOption(request, ["reject_once"]));
  return { error: { code: -32601, message: `method not found: ${method}` } };
}

/** The capabilities of a client that offers files, terminals and forms. */
export const EVERYTHING: JsonObject = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {} },
};

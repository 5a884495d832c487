import type { Fault } from "../../acp/index.ts";
import { asObject, stringField } from "../../wire/index.ts";
import { invalidParams } from "../errors.ts";

/** The item that the client cancels, from the params of the request. Throws -32602. */
export function cancelledItem(
  params: unknown,
  idField: "toolCallId" | "terminalId",
): { readonly sessionId: string; readonly id: string } {
  const given = asObject(params) ?? {};
  const sessionId = stringField(given, "sessionId");
  const id = stringField(given, idField);
  if (sessionId !== undefined && id !== undefined) return { sessionId, id };
  const missing = (path: string, value: unknown): Fault[] =>
    value === undefined ? [{ path, message: "must be a string" }] : [];
  throw invalidParams(...missing("sessionId", sessionId), ...missing(idField, id));
}

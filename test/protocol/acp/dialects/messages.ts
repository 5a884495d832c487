/** Helpers for messages in the dialect tests. */
import { isList, type JsonObject } from "../../../../src/base/index.ts";
import { notification } from "../../../support/messages.ts";
import type { Rewriter } from "../../../../src/transport/rpc/rewriter.ts";

export const update = (sessionId: string, fields: object): JsonObject =>
  notification("session/update", { sessionId, update: fields });

const asList = (output: ReturnType<Rewriter["read"]>): readonly JsonObject[] =>
  isList(output) ? output : output === undefined ? [] : [output];
export const read = (rewriter: Rewriter, message: JsonObject): readonly JsonObject[] =>
  asList(rewriter.read(message));
export const write = (rewriter: Rewriter, message: JsonObject): readonly JsonObject[] =>
  asList(rewriter.write(message));

/** A permission request as crow sends it. */
export const crowPermissionRequest = (options: unknown, more: object = {}): JsonObject =>
  update("s", {
    "@type": "permission_request",
    tool_call_id: "t",
    title: "terminal",
    permission_options: options,
    ...more,
  });

/** The messages that arrive at the far handlers when the near handlers send one. */
export function carry(from: Rewriter, to: Rewriter, message: JsonObject): readonly JsonObject[] {
  return write(from, message).flatMap((wire) => read(to, overTheWire(wire)));
}

/** The message as the other process sees it: a fresh value without undefined fields. */
export function overTheWire(message: JsonObject): JsonObject {
  const parsed: JsonObject = JSON.parse(JSON.stringify(message));
  return parsed;
}

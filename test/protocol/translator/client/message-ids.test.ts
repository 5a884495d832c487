import { expect, it } from "vitest";
import { MessageIds } from "../../../../src/protocol/translator/client/session.ts";

it("chunks of one kind in a row are one message, until something comes in between", () => {
  const ids = new MessageIds();
  const idOf = (kind: string): string => ids.idFor(kind, {}).id;
  const first = idOf("agent");
  expect(idOf("agent")).toBe(first);
  const thought = idOf("thought");
  expect(thought).not.toBe(first);
  const second = idOf("agent");
  expect(second).not.toBe(first);
  ids.interrupt();
  expect(idOf("agent")).not.toBe(second);
});

it("the agent's own ids are kept, and end a message without one", () => {
  const ids = new MessageIds();
  const { id: before, isMinted } = ids.idFor("agent", {});
  expect(isMinted).toBe(true);
  expect(ids.idFor("agent", { messageId: "own" })).toEqual({ id: "own", isMinted: false });
  expect(ids.idFor("agent", {}).id).not.toBe(before);
});

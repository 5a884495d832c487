import { expect } from "vitest";

import { ProtocolViolation } from "../../../../src/protocol/acp/index.ts";

/** Checks that a reader throws a ProtocolViolation that names the method and the field. */
export function expectViolation(
  read: (result: unknown) => unknown,
  result: unknown,
  method: string,
  path: string,
): void {
  let thrown: unknown;
  try {
    read(result);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ProtocolViolation);
  expect(thrown).toMatchObject({ name: "ProtocolViolation", method, path });
  expect(String(thrown)).toContain(path);
  expect(String(thrown)).toContain(method);
}

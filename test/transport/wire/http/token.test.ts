import { expect, it } from "vitest";
import { createToken, hashToken, ServerToken } from "../../../../src/transport/wire/index.ts";

it("a new token has 256 random bits", () => {
  expect(Buffer.from(createToken(), "base64url")).toHaveLength(32);
  expect(createToken()).not.toBe(createToken());
});

it("the token of a server matches itself and nothing else", () => {
  const token = new ServerToken();
  expect(token.matches(token.value)).toBe(true);
  for (const other of ["", `${token.value} `, hashToken(token.value), createToken()])
    expect(token.matches(other)).toBe(false);
});

import { describe, expect, it } from "vitest";
import {
  isSame,
  proofOf,
  readClientHello,
  readHubHello,
  readHubRequest,
} from "../../../../src/apps/cli/warm/frames.ts";

describe("the first frames", () => {
  const hello = { protocol: 1, version: "1.2.3", token: "t", nonce: "n" };

  it("are read with all their fields", () => {
    expect(readClientHello({ hello })).toEqual(hello);
    const theirs = { protocol: 1, version: "1.2.3", proof: "p" };
    expect(readHubHello({ hello: theirs })).toEqual(theirs);
  });

  it.each(["protocol", "version", "token", "nonce"])("are refused without %s", (name) => {
    expect(readClientHello({ hello: { ...hello, [name]: undefined } })).toBeUndefined();
    expect(readClientHello({})).toBeUndefined();
    expect(readHubHello({ hello: { protocol: 1 } })).toBeUndefined();
  });

  it("prove that both sides know the token", () => {
    expect(proofOf("token", "a")).not.toBe(proofOf("token", "b"));
    expect(proofOf("token", "a")).not.toBe(proofOf("other", "a"));
    expect(isSame("token", "token")).toBe(true);
    expect(isSame("token", "tokens")).toBe(false);
    expect(isSame("", "token")).toBe(false);
  });
});

describe("a request to a hub", () => {
  const agent = {
    name: "mine",
    key: "k",
    command: "agent",
    args: ["-x"],
    cwd: "/a",
    env: { A: "1" },
    secrets: ["s"],
  };

  it.each([
    { want: "attach" },
    { want: "status" },
    { want: "stop", waitMs: 5 },
    { want: "agent", agent, warmMs: 1000, fresh: true },
  ])("is read: $want", (request) => {
    expect(readHubRequest(request)).toEqual(request);
  });

  it("has defaults that do no harm", () => {
    expect(readHubRequest({ want: "stop", waitMs: -1 })).toEqual({ want: "stop", waitMs: 0 });
    expect(readHubRequest({ want: "agent", agent, warmMs: 1 })).toMatchObject({ fresh: false });
  });

  it.each([
    {},
    { want: "frob" },
    { want: "agent", warmMs: 1 },
    { want: "agent", agent, warmMs: 0 },
    { want: "agent", agent: { ...agent, env: { A: 1 } }, warmMs: 1 },
    { want: "agent", agent: { ...agent, args: "x" }, warmMs: 1 },
    { want: "agent", agent: { ...agent, key: undefined }, warmMs: 1 },
  ])("is refused: %j", (frame) => {
    expect(readHubRequest(frame)).toBeUndefined();
  });
});

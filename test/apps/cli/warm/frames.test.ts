import { describe, expect, it } from "vitest";
import {
  isSameSecret,
  proofOf,
  readClientHello,
  readHubHello,
  readHubRequest,
  HandshakeChannel,
  HandshakeError,
} from "../../../../src/apps/cli/warm/frames.ts";
import { memoryPair } from "../../../../src/transport/wire/index.ts";

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
    expect(isSameSecret("token", "token")).toBe(true);
    expect(isSameSecret("token", "tokens")).toBe(false);
    expect(isSameSecret("", "token")).toBe(false);
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

describe("a channel with a handshake", () => {
  it("gives its first frames one by one, and the rest to the protocol", async () => {
    const [one, other] = memoryPair();
    const channel = new HandshakeChannel(one);
    other.open(() => {});
    for (const line of ['{"a":1}', '{"b":2}', "x", "y"]) void other.send(line);
    expect(await channel.frame()).toEqual({ a: 1 });
    expect(await channel.frame()).toEqual({ b: 2 });
    const lines: string[] = [];
    const all = new Promise<void>((resolve) => {
      channel.open((line) => {
        lines.push(line);
        if (line === "z") resolve();
      });
    });
    void other.send("z");
    await all;
    expect(lines).toEqual(["x", "y", "z"]);
    await channel.close();
  });

  it("fails if the other side closes, or sends something else", async () => {
    const [one, other] = memoryPair();
    const channel = new HandshakeChannel(one);
    other.open(() => {});
    void other.send("not a frame");
    await expect(channel.frame()).rejects.toThrow(HandshakeError);
    const next = channel.frame();
    await other.close();
    await expect(next).rejects.toThrow("the connection was closed");
  });

  it("explains its end with the given reason", async () => {
    const [one, other] = memoryPair();
    const lost = { kind: "failed", error: new Error("lost") } as const;
    const channel = new HandshakeChannel(one, () => lost);
    other.open(() => {});
    await other.close();
    expect(await channel.closed).toBe(lost);
  });
});

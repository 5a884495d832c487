import { describe, expect, it } from "vitest";
import { HandshakeChannel, HandshakeError } from "../../../../src/apps/cli/warm/frames.ts";
import { memoryPair } from "../../../../src/transport/wire/index.ts";

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

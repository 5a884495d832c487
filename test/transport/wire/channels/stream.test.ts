import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { nodeStreamChannel } from "../../../../src/transport/wire/channels/stream.ts";

describe("a channel over Node streams", () => {
  it("reads a stream that delivers text instead of bytes", async () => {
    const input = new PassThrough();
    input.setEncoding("utf8");
    const channel = nodeStreamChannel(input, new PassThrough());
    const lines: string[] = [];
    channel.open((line) => lines.push(line));
    input.write('{"a":"é"}\n{"b"');
    input.end(":1}\n");
    expect(await channel.closed).toEqual({ kind: "ended" });
    expect(lines).toEqual(['{"a":"é"}', '{"b":1}']);
  });

  it("destroys both streams when it is closed", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    output.resume();
    await nodeStreamChannel(input, output).close();
    expect([input.destroyed, output.destroyed]).toEqual([true, true]);
  });
});

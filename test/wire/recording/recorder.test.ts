import { describe, expect, it } from "vitest";
import { memoryPair } from "../../../src/wire/channels/memory.ts";
import {
  parseRecording,
  recorder,
  RECORDING_VERSION,
  RecordingError,
} from "../../../src/wire/recording/recorder.ts";
import { REDACTED } from "../../../src/wire/recording/redact.ts";
import { tapped, type TapEvent } from "../../../src/wire/recording/tap.ts";

const event = (at: number, direction: "in" | "out", line: string): TapEvent => ({
  at,
  direction,
  line,
});

describe("the recorder", () => {
  it("writes a header with the version, then each line with its time and direction", () => {
    const written: string[] = [];
    const tap = recorder((text) => written.push(text));
    tap(event(1000, "out", '{"id":1}'));
    tap(event(1250, "in", '{"id":1,"result":"é"}'));
    expect(written.every((text) => text.endsWith("\n"))).toBe(true);
    expect(written.map((text) => JSON.parse(text) as unknown)).toEqual([
      {
        recording: "dragoman",
        version: RECORDING_VERSION,
        startedAt: "1970-01-01T00:00:01.000Z",
        redacted: true,
      },
      { ms: 0, direction: "out", line: '{"id":1}' },
      { ms: 250, direction: "in", line: '{"id":1,"result":"é"}' },
    ]);
  });

  it("redacts secrets unless asked to keep them, and records which it did", () => {
    const line = '{"params":{"env":[{"name":"A","value":"s"}],"apiKey":"s"}}';
    const record = (keepSecrets: boolean): string => {
      let text = "";
      recorder((part) => (text += part), { keepSecrets })(event(0, "out", line));
      return text;
    };
    expect(parseRecording(record(false))).toEqual({
      header: expect.objectContaining({ redacted: true }) as unknown,
      lines: [
        {
          ms: 0,
          direction: "out",
          line: line.replaceAll('"s"', `"${REDACTED}"`),
        },
      ],
    });
    expect(parseRecording(record(true))).toMatchObject({
      header: { redacted: false },
      lines: [{ line }],
    });
  });

  it("writes lines that parse back unchanged, including noise and line separators", () => {
    let text = "";
    const tap = recorder((part) => (text += part));
    const lines = ["plain noise", '{"a":"\u2028"}', '"quoted"', "\u0000"];
    for (const line of lines) tap(event(5, "in", line));
    expect(parseRecording(text).lines.map(({ line }) => line)).toEqual(lines);
  });

  it.each([
    [
      "throws",
      (): void => {
        throw new Error("disk full");
      },
    ],
    [
      "rejects later",
      async (): Promise<void> => {
        await Promise.resolve();
        throw new Error("disk full");
      },
    ],
  ])("does not break the connection when its write function %s", async (_, write) => {
    const [near, far] = memoryPair();
    const channel = tapped(near, recorder(write));
    const received = new Promise<string>((resolve) => channel.open(resolve));
    far.open(() => {});
    await far.send("hello");
    expect(await received).toBe("hello");
    await channel.send("answer");
    await channel.close();
  });
});

describe("parsing a recording", () => {
  const header = `{"recording":"dragoman","version":1,"startedAt":"1970-01-01T00:00:00.000Z","redacted":true}`;
  const good = `{"ms":1,"direction":"in","line":"x"}`;

  it("skips empty lines and accepts CRLF", () => {
    expect(parseRecording(`\n${header}\r\n\r\n${good}\r\n`).lines).toEqual([
      { ms: 1, direction: "in", line: "x" },
    ]);
  });

  it.each([
    { what: "nothing", text: "", line: undefined, message: "empty" },
    { what: "only empty lines", text: "\n \n", line: undefined, message: "empty" },
    { what: "no header", text: good, line: 1, message: "header" },
    {
      what: "another program's header",
      text: `{"recording":"x","version":1}`,
      line: 1,
      message: "header",
    },
    {
      what: "a header without a version",
      text: `{"recording":"dragoman"}`,
      line: 1,
      message: "header",
    },
    {
      what: "a newer version",
      text: header.replace('"version":1', '"version":2'),
      line: 1,
      message: "version 2",
    },
    { what: "text that is not JSON", text: `${header}\n${good}\nnope`, line: 3, message: "line 3" },
    {
      what: "an invalid line after empty ones",
      text: `${header}\n\n\n{}`,
      line: 4,
      message: "line 4",
    },
    {
      what: "an unknown direction",
      text: `${header}\n{"ms":1,"direction":"up","line":"x"}`,
      line: 2,
      message: "line 2",
    },
    {
      what: "a missing time",
      text: `${header}\n{"direction":"in","line":"x"}`,
      line: 2,
      message: "line 2",
    },
    { what: "a list", text: `${header}\n[]`, line: 2, message: "line 2" },
  ])("rejects $what and names the line", ({ text, line, message }) => {
    const read = (): unknown => parseRecording(text);
    expect(read).toThrow(RecordingError);
    expect(read).toThrow(message);
    expect(() => parseRecording(text)).toThrow(expect.objectContaining({ line }) as Error);
  });
});

import { describe, expect, it } from "vitest";
import { memoryPair } from "../../../../src/transport/wire/channels/memory.ts";
import { RECORDING_VERSION } from "../../../../src/transport/wire/recording/format.ts";
import { parseRecording } from "../../../../src/transport/wire/recording/reader.ts";
import {
  recorder,
  type Recorder,
  type RecorderOptions,
} from "../../../../src/transport/wire/recording/recorder.ts";
import { REDACTED } from "../../../../src/base/redact/secrets.ts";
import { tapped, type TapEvent } from "../../../../src/transport/wire/recording/tap.ts";

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
    expect(parseRecording(record(false))).toMatchObject({
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

describe("the events of a recording", () => {
  const read = (use: (record: Recorder) => void, options: RecorderOptions = {}) => {
    let text = "";
    use(recorder((part) => (text += part), options));
    return parseRecording(text);
  };

  it("are stderr, exits, decisions and notes, in their order", () => {
    const decision = { what: "run ls", kind: "execute", outcome: "denied", by: "rule" } as const;
    const { events } = read((record) => {
      record.stderr("starting\nlast ");
      record.permission({ ...decision, toolCallId: "t1", hint: "rule 2 of --permissions" });
      record.note("started again");
      record.stderr("words");
      record.exit({ code: null, signal: "SIGKILL" });
    });
    expect(events).toMatchObject([
      { event: "stderr", text: "starting\n" },
      { event: "permission", ...decision, toolCallId: "t1", hint: "rule 2 of --permissions" },
      { event: "note", text: "started again" },
      { event: "stderr", text: "last words" },
      { event: "exit", code: null, signal: "SIGKILL" },
    ]);
  });

  it("hide a secret that arrives in two pieces, and secrets in commands", () => {
    const token = `ghp_${"a1".repeat(18)}`;
    const { header, events } = read(
      (record) => {
        record.stderr(`using ${token.slice(0, 20)}`);
        record.stderr(`${token.slice(20)}\n`);
        record.permission({
          what: "curl -H 'x-api-key: hush-hush'",
          outcome: "allowed",
          by: "flag",
        });
      },
      { agent: { name: "a", command: ["a", "--api-key", "hush-hush", "--mode=x"] } },
    );
    expect(JSON.stringify([header, events])).not.toMatch(/a1a1|hush/);
    expect(header.agent?.command).toEqual(["a", "--api-key", REDACTED, "--mode=x"]);
  });

  it("write the rest of stderr on request", () => {
    const { events } = read((record) => {
      record.stderr("no newline");
      record.flush();
      record.flush();
    });
    expect(events).toMatchObject([{ event: "stderr", text: "no newline" }]);
  });

  it("follow a header with the agent, the client and the folder", () => {
    const options = {
      agent: { name: "demo", command: ["demo", "--acp"] },
      client: { name: "editor", version: "1.2" },
      cwd: "/project",
    };
    expect(read((record) => record.note("x"), options).header).toMatchObject(options);
  });
});

describe("the times of a recording", () => {
  it("come from a clock that never goes back, even if the machine's clock is set", () => {
    let text = "";
    const record = recorder((part) => (text += part));
    record({ at: 5000, monotonic: 100, direction: "in", line: "a" });
    record({ at: 1000, monotonic: 100.25, direction: "in", line: "b" });
    record({ at: 900, direction: "in", line: "c" });
    const { header, lines } = parseRecording(text);
    expect(header.startedAt).toBe("1970-01-01T00:00:05.000Z");
    expect(lines.map(({ ms }) => ms)).toEqual([0, 0.25, 0.25]);
  });
});

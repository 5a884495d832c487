import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  RecordingError,
  type RecordingEntry,
} from "../../../../src/transport/wire/recording/format.ts";
import {
  parseRecording,
  RecordingReader,
} from "../../../../src/transport/wire/recording/reader.ts";
import { recorder } from "../../../../src/transport/wire/recording/recorder.ts";

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
      text: header.replace('"version":1', '"version":3'),
      line: 1,
      message: "version 3",
    },
    {
      what: "text that is not JSON",
      text: `${header}\n${good}\nnope\n`,
      line: 3,
      message: "line 3",
    },
    {
      what: "an invalid line after empty ones",
      text: `${header}\n\n\n{}`,
      line: 2,
      message: "line 2",
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

describe("a recording of version 2", () => {
  const header = `{"recording":"dragoman","version":2,"startedAt":"1970-01-01T00:00:00.000Z","redacted":true}`;

  it("may have events of a newer program, which are kept apart", () => {
    const text = `${header}\n{"ms":1,"event":"sparkle","color":"red"}\n{"ms":2,"event":"note"}\n{"ms":3,"direction":"in","line":"x"}\n`;
    expect(parseRecording(text)).toMatchObject({
      lines: [{ line: "x" }],
      events: [
        { ms: 1, event: "unknown", raw: { event: "sparkle", color: "red" } },
        { ms: 2, event: "unknown" },
      ],
    });
  });

  it("whose last line was cut is read up to there", () => {
    const text = `${header}\n{"ms":1,"direction":"in","line":"x"}\n{"ms":2,"direc`;
    expect(parseRecording(text)).toMatchObject({
      lines: [{ line: "x" }],
      cut: { line: 3, length: 14 },
    });
  });

  it("goes on after an invalid line if someone takes the fault", () => {
    const faults: unknown[] = [];
    const entries: RecordingEntry[] = [];
    const reader = new RecordingReader({
      header: () => {},
      entry: (entry) => entries.push(entry),
      fault: ({ line }) => faults.push(line),
    });
    reader.push(`${header}\nnope\n{}\n{"ms":2,"direction":"out","line":"y"}\n`);
    expect(reader.end()).toBeUndefined();
    expect(faults).toEqual([2, 3]);
    expect(entries).toEqual([{ ms: 2, direction: "out", line: "y" }]);
  });

  it("reads the same in any chunks of bytes", () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n]/g, " "));
    const entry = fc.record({ line, isIn: fc.boolean(), stderr: fc.option(line) });
    const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), cuts, (entries, sizes) => {
        let text = "";
        const record = recorder((part) => (text += part), { cwd: "/é" });
        record.note("first");
        for (const { line: each, isIn, stderr } of entries) {
          record({ at: 1, direction: isIn ? "in" : "out", line: each });
          if (stderr !== null) record.stderr(`${stderr}\n`);
        }
        const whole = parseRecording(text);
        const seen: { header: unknown; lines: unknown[]; events: unknown[] } = {
          header: undefined,
          lines: [],
          events: [],
        };
        const reader = new RecordingReader({
          header: (first) => (seen.header = first),
          entry: (next) => void ("line" in next ? seen.lines : seen.events).push(next),
        });
        let bytes = new TextEncoder().encode(text);
        for (const size of sizes) {
          reader.push(bytes.subarray(0, size));
          bytes = bytes.subarray(size);
        }
        reader.push(bytes);
        expect({ ...seen, cut: reader.end() }).toEqual(whole);
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  EventParser,
  EventTooLongError,
  formatEvent,
  formatPosition,
  KEEP_ALIVE,
  type StreamEvent,
} from "../../../../src/transport/remote/http/sse.ts";

function parse(...pieces: readonly string[]): readonly StreamEvent[] {
  const parser = new EventParser(1000);
  return pieces.flatMap((piece) => parser.push(piece));
}

describe("an event stream", () => {
  it.each([
    ["data and an empty line", "data: x\n\n", [{ data: "x", id: undefined }]],
    ["no space after the colon", "data:x\n\n", [{ data: "x", id: undefined }]],
    ["a second space", "data:  x\n\n", [{ data: " x", id: undefined }]],
    ["several data lines", "data: x\ndata: y\n\n", [{ data: "x\ny", id: undefined }]],
    ["CR", "data: x\r\r", [{ data: "x", id: undefined }]],
    ["CRLF", "data: x\r\ndata: y\r\n\r\n", [{ data: "x\ny", id: undefined }]],
    ["an id", "id: 7\ndata: x\n\n", [{ data: "x", id: "7" }]],
    [
      "an id that stays",
      "id: 7\n\ndata: x\n\ndata: y\n\n",
      [
        { data: "x", id: "7" },
        { data: "y", id: "7" },
      ],
    ],
    [
      "comments and unknown fields",
      ": hb\nretry: 3000\nevent: m\ndata: x\n\n",
      [{ data: "x", id: undefined }],
    ],
    ["a field without a colon", "data\n\n", [{ data: "", id: undefined }]],
    ["no data", "id: 7\n\n:\n\n", []],
    ["no end", "data: x\n", []],
  ])("has %s", (_name, text, events) => {
    expect(parse(text)).toEqual(events);
  });

  it("means the same however it is cut into pieces", () => {
    const line = fc.constantFrom("data: x", "data: yy", "id: 3", ":", "", "", "data: {}");
    const end = fc.constantFrom("\n", "\r\n", "\r");
    const text = fc
      .array(fc.tuple(line, end))
      .map((lines) => lines.map(([content, ending]) => content + ending).join(""));
    fc.assert(
      fc.property(text, fc.array(fc.nat(60)), (whole, cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((place, index) => whole.slice(places[index], place));
        expect(parse(...pieces)).toEqual(parse(whole));
      }),
    );
  });

  it.each([
    ["one line", `data: ${"x".repeat(2000)}`],
    ["many lines", "data: xxxxxxxxx\n".repeat(200)],
  ])("fails if an event is too long, in %s", (_name, text) => {
    const parser = new EventParser(1000);
    expect(() => text.split("").map((piece) => parser.push(piece))).toThrow(EventTooLongError);
  });

  it("reads what it writes", () => {
    const parser = new EventParser(1000);
    expect(parser.push(formatPosition(0))).toEqual([]);
    expect(parser.lastId).toBe("0");
    expect(parser.push(KEEP_ALIVE + formatEvent("{}", 1))).toEqual([{ data: "{}", id: "1" }]);
  });
});

import { describe, expect, it } from "vitest";
import type { DroidEvent } from "../../../src/entries/droid.ts";
import { MessageTexts, RunningText } from "../../../src/droid/turn/message-texts.ts";
import { readMessage } from "../../../src/droid/protocol/messages.ts";
import fc from "fast-check";

function whole(id: string, text: string, thinking?: string): ReturnType<typeof readMessage> {
  const blocks = [{ type: "text", text }];
  const content = thinking === undefined ? blocks : [{ type: "thinking", thinking }, ...blocks];
  return readMessage({ id, role: "assistant", content });
}

type Step = (texts: MessageTexts) => unknown;
const delta =
  (text: string, id = "m"): Step =>
  (texts) =>
    texts.delta("text", id, 0, text);
const end =
  (text: string, id = "m"): Step =>
  (texts) =>
    texts.whole(whole(id, text));
const nextTurn: Step = (texts) => texts.startTurn();

/** Runs what Droid sends, and returns what a user sees as one line. */
function shown(...steps: readonly Step[]): string {
  const seen: string[] = [];
  const texts = new MessageTexts((event: DroidEvent) => {
    if (event.type === "text") seen.push(event.text);
    if (event.type === "thinking") seen.push(`(${event.text})`);
    if (event.type === "retracted") seen.push("<retracted>");
  });
  for (const step of steps) step(texts);
  return seen.join("|");
}

describe("the text of a message is emitted once", () => {
  it.each<[string, Step[], string]>([
    [
      "it arrives as deltas and then as a whole",
      [delta("Hello "), delta("world"), end("Hello world")],
      "Hello |world",
    ],
    [
      "it arrives only as a whole",
      [(texts) => texts.whole(whole("m", "Hello", "hm"))],
      "(hm)|Hello",
    ],
    ["the whole is repeated", [end("Hello"), end("Hello")], "Hello"],
    [
      "the whole or its deltas are repeated in the next turn",
      [end("Hello"), nextTurn, end("Hello"), delta("Hello")],
      "Hello",
    ],
    ["the whole arrives only in the next turn", [delta("Hello"), nextTurn, end("Hello")], "Hello"],
    ["the deltas lack the end", [delta("Hel"), end("Hello")], "Hel|lo"],
    ["blanks at its end are trimmed", [delta("Hello\n\n"), end("Hello")], "Hello\n\n"],
    [
      "the deltas of two messages alternate",
      [delta("A1", "a"), delta("B1", "b"), delta("A2", "a"), end("A1A2", "a"), end("B1B2", "b")],
      "A1|B1|A2|B2",
    ],
  ])("if %s", (_, steps, seen) => {
    expect(shown(...steps)).toBe(seen);
  });
});

describe("a message that Droid streams again", () => {
  it.each<[string, Step[], string]>([
    [
      "when Droid retracts it",
      [delta("part"), (texts) => texts.retract("m"), delta("whole"), end("whole")],
      "part|<retracted>|whole",
    ],
    [
      "at its end if Droid does not retract it (0.99)",
      [delta("one two"), delta("one two three"), end("one two three")],
      "one two|one two three|<retracted>|one two three",
    ],
  ])("is retracted %s", (_, steps, seen) => {
    expect(shown(...steps)).toBe(seen);
  });
});

describe("the texts of messages", () => {
  it("report which delta is the first of its message", () => {
    const firsts: boolean[] = [];
    shown((texts) => {
      firsts.push(texts.delta("thinking", "m", 0, "a"), texts.delta("text", "m", 1, "b"));
      firsts.push(texts.delta("text", "n", 0, "c"));
    });
    expect(firsts).toEqual([true, false, true]);
  });
});

function missing(pieces: readonly string[], whole: string): string | undefined {
  const text = new RunningText();
  for (const piece of pieces) text.add(piece);
  return text.missingFrom(whole);
}

describe("a running text", () => {
  it.each([
    [["one ", "two"], "one two", ""],
    [["one "], "one two", "two"],
    [[], "one", "one"],
    [["\n\n", "one"], "one", ""],
    [["one", "\n\n"], "one", ""],
    [["one", " \n"], "one\n", ""],
    [["  "], "one", "one"],
    [["one", "two"], "one two", undefined],
    [["one one"], "one", undefined],
    [["one"], "", undefined],
  ])("of the pieces %j, compared with %j, lacks %j", (pieces, whole, rest) => {
    expect(missing(pieces, whole)).toBe(rest);
  });

  it("recognizes any text, however it was split", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.string(), (pieces, more) => {
        const text = pieces.join("");
        expect(missing(pieces, text)).toBe("");
        const rest = missing(pieces, text + more);
        expect((text + (rest ?? "?")).trim()).toBe((text + more).trim());
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import type { DroidEvent } from "../../../src/entries/droid.ts";
import { MessageTexts } from "../../../src/droid/turn/messages.ts";
import { readMessage } from "../../../src/droid/protocol/protocol.ts";

function whole(id: string, text: string, thinking?: string): ReturnType<typeof readMessage> {
  const blocks = [{ type: "text", text }];
  const content = thinking === undefined ? blocks : [{ type: "thinking", thinking }, ...blocks];
  return readMessage({ id, role: "assistant", content });
}

/** Runs what Droid sends, and returns what a user sees as one line. */
function shown(work: (texts: MessageTexts) => void): string {
  const seen: string[] = [];
  const texts = new MessageTexts((event: DroidEvent) => {
    if (event.type === "text") seen.push(event.text);
    if (event.type === "thinking") seen.push(`(${event.text})`);
    if (event.type === "retracted") seen.push("<retracted>");
  });
  work(texts);
  return seen.join("|");
}

describe("the text of a message is emitted once", () => {
  it("if it arrives as deltas and then as a whole", () => {
    const seen = shown((texts) => {
      texts.delta("text", "m", 0, "Hello ");
      texts.delta("text", "m", 0, "world");
      texts.whole(whole("m", "Hello world"));
    });
    expect(seen).toBe("Hello |world");
  });
  it("if it arrives only as a whole", () => {
    expect(shown((texts) => texts.whole(whole("m", "Hello", "hm")))).toBe("(hm)|Hello");
  });
  it("if the whole is repeated", () => {
    const seen = shown((texts) => {
      texts.whole(whole("m", "Hello"));
      texts.whole(whole("m", "Hello"));
    });
    expect(seen).toBe("Hello");
  });
  it("if the whole or its deltas are repeated in the next turn", () => {
    const seen = shown((texts) => {
      texts.whole(whole("m", "Hello"));
      texts.startTurn();
      texts.whole(whole("m", "Hello"));
      texts.delta("text", "m", 0, "Hello");
    });
    expect(seen).toBe("Hello");
  });
  it("if the whole arrives only in the next turn", () => {
    const seen = shown((texts) => {
      texts.delta("text", "m", 0, "Hello");
      texts.startTurn();
      texts.whole(whole("m", "Hello"));
    });
    expect(seen).toBe("Hello");
  });
  it("if the deltas lack the end", () => {
    const seen = shown((texts) => {
      texts.delta("text", "m", 0, "Hel");
      texts.whole(whole("m", "Hello"));
    });
    expect(seen).toBe("Hel|lo");
  });
  it("if blanks at its end are trimmed", () => {
    const seen = shown((texts) => {
      texts.delta("text", "m", 0, "Hello\n\n");
      texts.whole(whole("m", "Hello"));
    });
    expect(seen).toBe("Hello\n\n");
  });
  it("if the deltas of two messages alternate", () => {
    const seen = shown((texts) => {
      texts.delta("text", "a", 0, "A1");
      texts.delta("text", "b", 0, "B1");
      texts.delta("text", "a", 0, "A2");
      texts.whole(whole("a", "A1A2"));
      texts.whole(whole("b", "B1B2"));
    });
    expect(seen).toBe("A1|B1|A2|B2");
  });
});

describe("a message that Droid streams again", () => {
  it("is retracted when Droid retracts it", () => {
    const seen = shown((texts) => {
      texts.delta("text", "m", 0, "part");
      texts.retract("m");
      texts.delta("text", "m", 0, "whole");
      texts.whole(whole("m", "whole"));
    });
    expect(seen).toBe("part|<retracted>|whole");
  });
  it("is retracted at its end if Droid does not retract it (0.99)", () => {
    const seen = shown((texts) => {
      texts.delta("text", "m", 0, "one two");
      texts.delta("text", "m", 0, "one two three");
      texts.whole(whole("m", "one two three"));
    });
    expect(seen).toBe("one two|one two three|<retracted>|one two three");
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

import { expect, it } from "vitest";
import { notePrinter } from "../../../../src/apps/cli/serve/events.ts";

it("notes are printed without secrets, and left out while nobody reads them", () => {
  const notes: string[] = [];
  const screen = { isStoryOverloaded: false };
  const print = notePrinter({ renderer: { note: (text) => notes.push(text) }, screen });
  print("could not start a: no answer from wss://me:not-a-real-key@h/?key=not-a-real-key");
  screen.isStoryOverloaded = true;
  print("later");
  expect(notes).toEqual([
    "could not start a: no answer from wss://me:[redacted]@h/?key=[redacted]",
  ]);
});

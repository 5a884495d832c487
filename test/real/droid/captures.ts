import { expect } from "vitest";
import { replay, type TranscriptEntry } from "../../droid/replay.ts";
import { readTranscript } from "../../droid/transcript.ts";
import type { DroidVersion } from "../../support/droid/install.ts";
import { text } from "../../support/model/index.ts";
import { stage } from "./harness.ts";
import { repeat, shape, untilConnected, type Repetition } from "./repeat.ts";
import { answersIn, modeIn, prepare, setupOf } from "./scenario.ts";

/** Has a real Droid do once more what is in the captures of one session, and compares the events. */
export async function playAgain(version: DroidVersion, names: readonly string[]): Promise<void> {
  const options = Object.assign({}, ...names.map((name) => setupOf(name).home));
  // Droid asks the model once more while its to-do list is not done.
  const scene = await stage(version, [], { fallback: text("done"), ...options });
  const { home, model } = scene;
  await prepare(names, home);
  const all = names.flatMap((name) => readTranscript(name));
  const droid = await scene.start({ autonomy: "off", interactionMode: modeIn(all) });
  if (names.includes("mcp-tool-0.225.2")) await untilConnected(droid);
  const answers = answersIn(all);
  for (const name of names) {
    await expectAgain({ droid, model, home, answers }, name, readTranscript(name));
  }
}

/** Has the turns of a capture happen once more, and compares their events and their ends. */
export async function expectAgain(
  place: Omit<Repetition, "answers"> & Partial<Repetition>,
  name: string,
  entries: readonly TranscriptEntry[],
): Promise<void> {
  const { turns } = await replay(entries);
  const { home, answers = answersIn(entries) } = place;
  const again = await repeat({ ...place, answers }, name, turns);
  for (const [index, turn] of turns.entries()) {
    const { events = [], outcome } = again[index] ?? {};
    expect(shape(events, home)).toEqual(shape(turn.events, home));
    expect(outcome).toBe(turn.outcome);
  }
}

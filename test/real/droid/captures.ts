import { expect } from "vitest";
import { replay, type TranscriptEntry } from "../../droid/replay.ts";
import { readTranscript } from "../../droid/transcript.ts";
import type { DroidVersion } from "../../support/droid/install.ts";
import { text } from "../../../src/conformance/scripted-model/index.ts";
import { stage } from "./harness.ts";
import { repeat, shape, untilConnected, type Repetition } from "./repeat.ts";
import { answersIn, modeIn, prepare, setupOf } from "./scenario.ts";

/** Repeats the captures of one session with a real Droid, and compares the events. */
export async function playAgain(version: DroidVersion, names: readonly string[]): Promise<void> {
  const options = Object.assign({}, ...names.map((name) => setupOf(name).home));
  // Droid calls the model once more while its to-do list is not done.
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

/** Repeats the turns of a capture, and compares their events and outcomes. */
export async function expectAgain(
  context: Omit<Repetition, "answers"> & Partial<Repetition>,
  name: string,
  entries: readonly TranscriptEntry[],
): Promise<void> {
  const { turns } = await replay(entries);
  const { home, answers = answersIn(entries) } = context;
  const repeated = await repeat({ ...context, answers }, name, turns);
  for (const [index, turn] of turns.entries()) {
    const { events = [], outcome } = repeated[index] ?? {};
    expect(shape(events, home)).toEqual(shape(turn.events, home));
    expect(outcome).toBe(turn.outcome);
  }
}

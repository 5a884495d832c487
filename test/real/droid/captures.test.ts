import { describe, expect, it } from "vitest";
import { shapeOf } from "../../droid/format.ts";
import { replay } from "../../droid/replay.ts";
import { readTranscript, transcriptNames } from "../../droid/transcript.ts";
import { droidUnavailable, testedDroids, type DroidVersion } from "../../support/droid/install.ts";
import { text } from "../../support/model/index.ts";
import { play, stage } from "./harness.ts";
import {
  answersIn,
  bySession,
  modeIn,
  normalized,
  NOT_REPEATABLE,
  prepare,
  promptAgain,
  scriptOf,
  setupOf,
  untilConnected,
} from "./scenario.ts";

const cases = testedDroids().flatMap((version) =>
  bySession(namesOf(version), readTranscript).map((names) => ({
    version,
    names,
    title: names.join(", "),
  })),
);

function namesOf(version: DroidVersion): string[] {
  return transcriptNames.filter(
    (name) => name.endsWith(`-${version}`) && !NOT_REPEATABLE.test(name),
  );
}

describe.skipIf(droidUnavailable() !== undefined)("real Droid does again what was captured", () => {
  it.each(cases)("$title", { timeout: 90_000 }, async ({ version, names }) => {
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
      const captured = await replay(readTranscript(name));
      for (const turn of captured.turns) {
        model.push(...scriptOf(turn, home.workspace));
        const { events, result } = await play(promptAgain(droid, name, turn, answers));
        expect(normalized(shapeOf(events), home)).toEqual(normalized(shapeOf(turn.events), home));
        expect(result.reason).toBe(turn.outcome);
      }
    }
  });
});

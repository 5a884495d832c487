import { describe, expect, it } from "vitest";
import { shapeOf } from "../../droid/format.ts";
import { replay } from "../../droid/replay.ts";
import { readTranscript, transcriptNames } from "../../droid/transcript.ts";
import { droidUnavailable, testedDroids, type DroidVersion } from "../../support/droid/install.ts";
import { text } from "../../support/model/index.ts";
import { play, stage } from "./harness.ts";
import {
  answersIn,
  modeIn,
  normalized,
  NOT_REPEATABLE,
  prepare,
  promptAgain,
  scriptOf,
  setupOf,
  untilConnected,
} from "./scenario.ts";

/** Captures of one session belong together: what one leaves behind (a to-do list), the next one finds. */
function sessionsOf(version: DroidVersion): string[][] {
  const sessions = new Map<string, { name: string; t: number }[]>();
  for (const name of transcriptNames) {
    if (!name.endsWith(`-${version}`) || NOT_REPEATABLE.test(name)) continue;
    const entries = readTranscript(name);
    const id = /"(?:sessionId|newSessionId)":"([^"]+)"/.exec(JSON.stringify(entries))?.[1] ?? name;
    const members = sessions.get(id) ?? [];
    members.push({ name, t: entries[0]?.t ?? 0 });
    sessions.set(id, members);
  }
  return [...sessions.values()].map((members) =>
    members.toSorted((a, b) => a.t - b.t).map(({ name }) => name),
  );
}

const cases = testedDroids().flatMap((version) =>
  sessionsOf(version).map((names) => ({ version, names, title: names.join(", ") })),
);

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

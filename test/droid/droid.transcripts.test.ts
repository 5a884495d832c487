import { describe, expect, it } from "vitest";
import { formatEvent } from "./format.ts";
import { replay } from "./replay.ts";
import { readTranscript, transcriptNames } from "./transcript.ts";

describe("replaying a captured conversation with Droid", () => {
  it("covers all fifty captures", () => {
    expect(transcriptNames).toHaveLength(50);
  });

  it.each(transcriptNames)("emits the expected events: %s", async (name) => {
    const { turns, outside, history } = await replay(readTranscript(name));
    const lines = turns.flatMap(({ prompt, events, outcome }) => [
      `prompt ${JSON.stringify(prompt.slice(0, 200))}`,
      ...events.map((event) => `  ${formatEvent(event)}`),
      `end ${outcome}`,
      "",
    ]);
    lines.push("outside of turns", ...outside.map((event) => `  ${formatEvent(event)}`), "");
    if (history !== undefined) lines.push(`history ${JSON.stringify(history, null, 2)}`, "");
    await expect(lines.join("\n")).toMatchFileSnapshot(`golden/${name}.txt`);
  });
});

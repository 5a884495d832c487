import { describe, expect, it } from "vitest";
import { droidUnavailable, isNewDroid, testedDroids } from "../../support/droid/install.ts";
import { brokenStream, httpError, text } from "../../../src/conformance/scripted-model/index.ts";
import { soak } from "../../support/soak.ts";
import { play, stage } from "./harness.ts";

/** Failures that take Droid tens of seconds, because it retries many times. */
describe.skipIf(droidUnavailable() !== undefined || !soak).each(testedDroids())(
  "droid %s, with a model service that keeps failing",
  (version) => {
    const isNew = isNewDroid(version);
    const timeout = 240_000;

    it.each([
      [429, "rate_limit"],
      [500, "unavailable"],
      [401, "authentication"],
      [400, "rejected"],
    ])(
      "ends a turn with status %d as %s, and then recovers",
      { timeout },
      async (status, reason) => {
        const { model, start } = await stage(version, [], { fallback: httpError(status) });
        const droid = await start();
        const turn = droid.prompt("fail");
        const { events, result } = await play(turn);
        expect(result.stopReason).toBe(reason);
        expect(result.failure?.status).toBe(status);
        const retries = events.filter((event) => event.type === "notice" && event.kind === "retry");
        if (isNew && status >= 429) expect(retries.length).toBeGreaterThan(0);
        model.push(text("recovered"));
        expect((await play(droid.prompt("again"))).text).toBe("recovered");
      },
    );

    it("delivers the text of a broken stream as Droid stores it", { timeout }, async () => {
      const { model, start, load } = await stage(version);
      const droid = await start();
      model.push([text("one two three four", { chunks: 4, delayMs: 50 }), brokenStream(2)]);
      model.push(text("one two three four", { chunks: 4 }));
      const { text: answer, result, events } = await play(droid.prompt("talk"));
      expect(result.stopReason).toBe("completed");
      // The older versions append the new text to the same stored message and do not report a retry.
      // In the protocol, that looks the same as a model that repeats itself.
      expect(answer).toBe(isNew ? "one two three four" : "one two tone two three four");
      if (isNew)
        expect(events.some((event) => event.type === "notice" && event.kind === "retry")).toBe(
          true,
        );
      await droid.close();
      const loaded = await load(droid.sessionId);
      const steps = loaded.history.flatMap((turn) => turn.steps);
      expect(steps.map((step) => (step.type === "text" ? step.text : ""))).toContain(answer);
    });
  },
);

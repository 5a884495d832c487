import { describe, expect, it } from "vitest";
import { droidUnavailable, isNewDroid, testedDroids } from "../../support/droid/install.ts";
import { brokenStream, httpError, text } from "../../support/model/index.ts";
import { soak } from "../../support/soak.ts";
import { play, stage } from "./harness.ts";

/** What takes Droid tens of seconds, because it asks again and again. */
describe.skipIf(droidUnavailable() !== undefined || !soak).each(testedDroids())(
  "droid %s, with a service that fails for long",
  (version) => {
    const isNew = isNewDroid(version);
    const timeout = 240_000;

    it.each([
      [429, "rate_limit"],
      [500, "unavailable"],
      [401, "authentication"],
      [400, "rejected"],
    ])(
      "%d ends as %s, or in an answer where Droid is patient",
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

    it("gives the text of a stream that broke as Droid keeps it", { timeout }, async () => {
      const { model, start, load } = await stage(version);
      const droid = await start();
      model.push([text("one two three four", { chunks: 4, delayMs: 50 }), brokenStream(2)]);
      model.push(text("one two three four", { chunks: 4 }));
      const { text: got, result, events } = await play(droid.prompt("talk"));
      expect(result.stopReason).toBe("completed");
      // The older versions write on after what had come, into the same stored message, and say
      // nothing of a retry: on the wire nothing tells it from a model that repeats itself.
      expect(got).toBe(isNew ? "one two three four" : "one two tone two three four");
      if (isNew)
        expect(events.some((event) => event.type === "notice" && event.kind === "retry")).toBe(
          true,
        );
      await droid.close();
      const loaded = await load(droid.sessionId);
      const steps = loaded.history.flatMap((turn) => turn.steps);
      expect(steps.map((step) => (step.type === "text" ? step.text : ""))).toContain(got);
    });
  },
);

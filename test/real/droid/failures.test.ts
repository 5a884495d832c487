import { expect, it } from "vitest";
import { testedDroids } from "../../support/droid/install.ts";
import { httpError, text } from "../../../src/conformance/scripted-model/index.ts";
import { play, stage } from "./harness.ts";
import { describeDroids } from "../../support/droid/describe.ts";

describeDroids("droid", testedDroids(), (version) => {
  it("reports why the model service failed, and continues", async () => {
    const { model, start } = await stage(version);
    const droid = await start();
    const failing = async (status: number): Promise<string> => {
      // 0.99 tries a rejected request four times.
      const tries = version === "0.99.0" && status !== 402 ? 4 : 1;
      for (let round = 0; round < tries; round++) model.push(httpError(status));
      const { events, result } = await play(droid.prompt(`fail with ${status}`));
      expect(events.some(({ type }) => type === "error")).toBe(true);
      expect(events.some((event) => event.type === "notice" && event.kind === "message")).toBe(
        true,
      );
      expect(result.failure?.status).toBe(status);
      return result.stopReason;
    };
    expect(await failing(402)).toBe("usage_exhausted");
    // 0.99 takes ten seconds for these, so they run in the soak.
    if (version !== "0.99.0") {
      expect(await failing(401)).toBe("authentication");
      expect(await failing(400)).toBe("rejected");
    }
    model.push(text("recovered"));
    expect((await play(droid.prompt("again"))).text).toBe("recovered");
  });
});

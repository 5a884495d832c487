import { describe, expect, test } from "vitest";
import { droidUnavailable, droidVersions } from "../../support/droid/install.ts";
import { httpError, text } from "../../../src/conformance/scripted-model/index.ts";
import { soak } from "../../support/soak.ts";
import { errorOf } from "./reading.ts";
import { CRASH } from "../../support/droid/describe.ts";
import { isOld, rig } from "./rig.ts";

const LONG = 600_000;

// Droid retries for tens of seconds. turns.test.ts also has the quick cases.
describe.skipIf(droidUnavailable() !== undefined || !soak).each(droidVersions)(
  "a prompt to droid-acp on %s whose model service keeps failing",
  { timeout: LONG, retry: CRASH },
  (version) => {
    test.each([
      [500, "unavailable"],
      [429, "rate_limit"],
      [401, "authentication"],
      [402, "usage_exhausted"],
      [400, "rejected"],
    ])(
      "with %d gets an error with that status, and the next prompt works",
      async (status, reason) => {
        const { client, home, model } = await rig({
          version,
          model: { fallback: httpError(status) },
          capabilities: { session: { notices: {} } },
        });
        const session = await client.newSession(home.workspace);
        const { code, message, data } = await errorOf(client.prompt(session, "hello"));
        const notices = client.ofKind("notice").map(({ title }) => title);
        expect(code).toBe(-32603);
        expect(message).toContain(String(status));
        expect(data).toMatchObject({ reason });
        if (!isOld(version) && (status === 500 || status === 429))
          expect(notices[0]).toMatch(/Retrying the model request \(attempt 1\)/);
        model.push(text("well again"));
        const from = client.updates.length;
        expect(await client.prompt(session, "and now?")).toBe("end_turn");
        expect(client.text("agent_message_chunk", from)).toBe("well again");
      },
    );
  },
);

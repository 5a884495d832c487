import { describe, expect, it } from "vitest";
import { DroidExitedError } from "../../../src/entries/droid.ts";
import { droidUnavailable, newestDroid, oldestDroid } from "../../support/droid/install.ts";
import { text, thinking } from "../../../src/conformance/scripted-model/index.ts";
import { randomFrom, seed, times } from "../../support/soak.ts";
import { quick, rows } from "../../support/suite.ts";
import { eventually, execute, leftOver, play, stage } from "./harness.ts";

/** Turns for each version. The old one starts four times as slowly. */
const shares = [
  [newestDroid, quick ? 1 : times(3, 140)],
  [oldestDroid, times(1, 60)],
] as const;

describe.skipIf(droidUnavailable() !== undefined).each(rows(shares))(
  "droid %s",
  (version, turns) => {
    it(
      `survives a kill at a random moment in each of ${turns} turns`,
      { timeout: 60_000 + turns * 15_000 },
      async () => {
        const random = randomFrom(seed);
        const unhandled: unknown[] = [];
        const record = (reason: unknown): number => unhandled.push(reason);
        process.on("unhandledRejection", record);
        const scene = await stage(version, [], {
          fallback: ({ messages }) =>
            // The tool results show how far the turn has come.
            (messages.at(-1)?.toolResults.length ?? 0) > 0
              ? text("done with it", { chunks: 4, delayMs: 20 })
              : [
                  thinking("hm"),
                  text("I will run", { chunks: 5, delayMs: 20 }),
                  execute("sleep 0.3"),
                ],
        });
        let droid = await scene.start({ autonomy: "off" });
        const { sessionId } = droid;
        let survived = 0;
        for (let turn = 0; turn < turns; turn++) {
          // The model takes more than 300 ms for a turn, so the first kill always comes before its end.
          const moment = random() * (turn === 0 ? 300 : 1200);
          const { pid } = droid;
          const running = droid.prompt(`turn ${turn}`, { onPermission: () => "proceed_once" });
          const kill = setTimeout(() => process.kill(pid ?? 0, "SIGKILL"), moment);
          const end = await play(running).catch((error: unknown) => error);
          if (end instanceof Error) {
            // 0.99.0 also crashes on its own now and then.
            expect(end).toBeInstanceOf(DroidExitedError);
          } else {
            survived++;
            clearTimeout(kill);
          }
          await droid.close();
          expect(await eventually(async () => (await leftOver(scene.home)).length === 0)).toBe(
            true,
          );
          droid = await scene.load(sessionId);
          expect(droid.sessionId).toBe(sessionId);
        }
        expect(survived).toBeLessThan(turns);
        const { result } = await play(droid.prompt("last", { onPermission: () => "cancel" }));
        expect(result.stopReason).toBe("completed");
        process.off("unhandledRejection", record);
        expect(unhandled).toEqual([]);
      },
    );
  },
);

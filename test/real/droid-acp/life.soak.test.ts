import { describe, expect, test } from "vitest";
import { droidUnavailable } from "../../support/droid/install.ts";
import { droidsWithHome } from "../../support/droid/leftovers.ts";
import { text, toolCall, type ScriptEntry } from "../../../src/conformance/scripted-model/index.ts";
import { randomFrom, seed, soak, times } from "../../support/soak.ts";
import { quick } from "../../support/suite.ts";
import { choose } from "./reading.ts";
import { rig } from "./rig.ts";

const TURNS = times(6, 200);
const SESSIONS = times(2, 8);
const TURNS_EACH = times(3, 20);
const LONG = soak ? 3_600_000 : 240_000;

const DONE = { finish: () => Promise.resolve("in time" as const) };

/** Answers with slow text, or with a command if the prompt contains RUN. */
const reply: ScriptEntry = ({ body }) => {
  const messages = Array.isArray(body["messages"]) ? body["messages"] : [];
  const last = JSON.stringify(messages.at(-1));
  if (!last.includes("RUN"))
    return text("some words that take their time", { chunks: 8, delayMs: 15 });
  const input = {
    summary: "Wait",
    command: "echo a; sleep 0.3; echo b",
    timeout: 20,
    riskLevel: "low",
    riskLevelReason: "x",
  };
  return toolCall("Execute", input);
};

describe.skipIf(droidUnavailable() !== undefined)(
  "droid-acp over many turns",
  { timeout: LONG },
  () => {
    test.skipIf(quick)(
      `answers each of ${TURNS} prompts while Droid is killed and turns are cancelled at random`,
      async () => {
        const random = randomFrom(seed);
        const { client, home } = await rig({
          model: { fallback: reply },
          adapter: { mode: "high" },
          answers: { permission: choose("allow_once") },
        });
        const session = await client.newSession(home.workspace);
        const seen = { end_turn: 0, cancelled: 0, failed: 0 };
        let killedLate = false;
        for (let turn = 0; turn < TURNS; turn++) {
          const from = client.updates.length;
          const what = random() < 0.4 ? "RUN a command" : "say something";
          const running = client.prompt(session, `${what} (${turn})`).then(
            (reason) => String(reason),
            () => "failed",
          );
          const moment = 20 + random() * 600;
          const kind = random();
          const hitByLateKill = killedLate;
          killedLate = false;
          // The last turn always runs undisturbed, so that even a short run has one such turn.
          const isUndisturbed = kind >= 0.6 || turn === TURNS - 1;
          const disturbance = isUndisturbed ? DONE : disturb(moment, kind < 0.35);
          const reason = await running;
          // A kill after the end of its turn hits the next turn.
          killedLate = (await disturbance.finish()) === "late";
          if (isUndisturbed && !hitByLateKill) expect(reason).toBe("end_turn");
          if (reason === "end_turn") seen.end_turn++;
          else if (reason === "cancelled") seen.cancelled++;
          else seen.failed++;
          const open = new Map<unknown, unknown>();
          for (const update of client.updates.slice(from))
            if (update["toolCallId"] !== undefined && update["status"] !== undefined)
              open.set(update["toolCallId"], update["status"]);
          for (const status of open.values()) expect(["completed", "failed"]).toContain(status);
          client.updates.length = 0;
          client.sessions.length = 0;
        }

        /** Cancels the turn or kills Droid after a random delay. */
        function disturb(ms: number, cancels: boolean) {
          let isOver = false;
          let work: Promise<"late" | "in time"> | undefined;
          const run = async (): Promise<"late" | "in time"> => {
            if (cancels) await client.cancel(session);
            else for (const pid of await droidsWithHome(home.home)) process.kill(pid, "SIGKILL");
            return isOver && !cancels ? "late" : "in time";
          };
          const timer = setTimeout(() => {
            work = run();
          }, ms);
          return {
            finish: (): Promise<"late" | "in time"> => {
              isOver = true;
              clearTimeout(timer);
              return work ?? Promise.resolve("in time");
            },
          };
        }
        // Droid may have been killed after the end of the last turn.
        await client.prompt(session, "settle").catch(() => undefined);
        expect(await client.prompt(session, "the last one")).toBe("end_turn");
        expect(seen.end_turn).toBeGreaterThan(0);
      },
    );

    test(`keeps ${SESSIONS} sessions apart that run ${TURNS_EACH} turns each at the same time`, async () => {
      const { client, home } = await rig({
        model: {
          fallback: ({ body }) => {
            const said = [...JSON.stringify(body["messages"]).matchAll(/I am session (\d+)/g)];
            return text(`you are ${[...new Set(said.map(([, number]) => number))].join(" and ")}`, {
              chunks: 4,
            });
          },
        },
      });
      const sessions = await Promise.all(
        Array.from({ length: SESSIONS }, () => client.newSession(home.workspace)),
      );
      await Promise.all(
        sessions.map(async (session, number) => {
          for (let turn = 0; turn < TURNS_EACH; turn++) {
            expect(await client.prompt(session, `I am session ${number}`)).toBe("end_turn");
          }
        }),
      );
      for (const [number, session] of sessions.entries()) {
        expect(client.textOf(session)).toBe(`you are ${number}`.repeat(TURNS_EACH));
      }
    });
  },
);

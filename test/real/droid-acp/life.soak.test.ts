import { describe, expect, test } from "vitest";
import { droidUnavailable } from "../../support/droid/install.ts";
import { droidsWithHome } from "../../support/droid/leftovers.ts";
import { text, toolCall, type ScriptEntry } from "../../support/model/index.ts";
import { randomFrom, seed, soak, times } from "../../support/soak.ts";
import { choose } from "./reading.ts";
import { rig } from "./rig.ts";

const TURNS = times(6, 200);
const SESSIONS = times(2, 8);
const TURNS_EACH = times(3, 20);
const LONG = soak ? 3_600_000 : 240_000;

const DONE = { finish: () => Promise.resolve("in time" as const) };

/** Answers with a slow text, or with a command first; which one the model's own call says. */
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
    test(`answers each of ${TURNS} prompts while Droid is killed and turns are cancelled at random moments`, async () => {
      const random = randomFrom(seed);
      const { client, home } = await rig({
        model: { fallback: reply },
        adapter: { mode: "high" },
        answers: { permission: choose("allow_once") },
      });
      const session = await client.newSession(home.workspace);
      const seen = { end_turn: 0, cancelled: 0, failed: 0 };
      let isStruck = false;
      for (let turn = 0; turn < TURNS; turn++) {
        const from = client.updates.length;
        const what = random() < 0.4 ? "RUN a command" : "say something";
        const running = client.prompt(session, `${what} (${turn})`).then(
          (reason) => String(reason),
          () => "failed",
        );
        const moment = 20 + random() * 600;
        const kind = random();
        const wasStruck = isStruck;
        isStruck = false;
        // The last one of a short run is left in peace, so that it shows that peace works.
        const isPeaceful = kind >= 0.6 || turn === TURNS - 1;
        const blow = isPeaceful ? DONE : strike(moment, kind < 0.35);
        const reason = await running;
        // A blow that comes after the end of its turn hits the next one.
        isStruck = (await blow.finish()) === "late";
        if (isPeaceful && !wasStruck) expect(reason).toBe("end_turn");
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

      /** Cancels or kills at a moment that nothing but chance decides. */
      function strike(ms: number, cancels: boolean) {
        let isOver = false;
        let work: Promise<"late" | "in time"> | undefined;
        const hit = async (): Promise<"late" | "in time"> => {
          if (cancels) await client.cancel(session);
          else for (const pid of await droidsWithHome(home.home)) process.kill(pid, "SIGKILL");
          return isOver && !cancels ? "late" : "in time";
        };
        const timer = setTimeout(() => {
          work = hit();
        }, ms);
        return {
          finish: (): Promise<"late" | "in time"> => {
            isOver = true;
            clearTimeout(timer);
            return work ?? Promise.resolve("in time");
          },
        };
      }
      // The one before the last may have been killed after its end.
      await client.prompt(session, "settle").catch(() => undefined);
      expect(await client.prompt(session, "the last one")).toBe("end_turn");
      expect(seen.end_turn).toBeGreaterThan(0);
    });

    test(`works in ${SESSIONS} sessions at once, ${TURNS_EACH} turns each, and mixes nothing up`, async () => {
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

import type { ClientCase } from "../case.ts";
import { playTurn, turnProblem } from "../observe.ts";
import { HELLO, initialized } from "../scenario.ts";

/** Lines that are not messages. The half message is the start of a real one. */
const NOISE = [
  "\uFEFFWelcome to the agent v1.0",
  "",
  "[info] loading the model",
  "\u001B[32m✔\u001B[0m ready",
  "   ",
  '{"jsonrpc":"2.0","method":"session/upd',
  "Warning: something is deprecated",
];

const noise: ClientCase = {
  ids: ["DRC-FRAME-02", "DRC-FRAME-03"],
  run: async (check) => {
    const played = await playTurn(
      check,
      async (agent) => {
        await agent.write(`${NOISE.join("\n")}\n`);
        await agent.barrier();
        return agent;
      },
      {
        scenario: {
          methods: {
            initialize: async ({ agent }) => {
              await agent.write(`${NOISE.join("\n")}\n`);
              return { result: initialized() };
            },
          },
        },
      },
    );
    const { agent, seen, problem } = played;
    if (!agent) {
      for (const id of noise.ids) check.untested(id, problem);
      return;
    }
    const trouble = seen ? turnProblem(check, played) : problem;
    if (trouble === undefined)
      check.pass("DRC-FRAME-02", `the turn completed in spite of ${2 * NOISE.length} lines`);
    else
      check.fail(
        "DRC-FRAME-02",
        "the turn completes, and lines that are not messages are ignored",
        trouble,
      );
    const answers = agent.received.filter(
      ({ json }) => json && !("method" in json) && (json["id"] ?? null) === null,
    );
    if (answers.length > 0) {
      const expected = "lines that are not messages are not answered";
      check.fail("DRC-FRAME-03", expected, `the client wrote ${answers.length} answers`, answers);
    } else if (seen) check.pass("DRC-FRAME-03", "no line was answered");
    else check.untested("DRC-FRAME-03", problem);
  },
};

const SPLIT_TEXT = "Grüße-👩‍👩‍👧-日本語";

const split: ClientCase = {
  ids: ["DRC-FRAME-04"],
  run: async (check) => {
    const played = await playTurn(check, async (agent) => {
      const { sessionId } = agent;
      const chunk = (text: string): string =>
        agent.lineFor({
          method: "session/update",
          params: {
            sessionId,
            update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
          },
        });
      // One byte at a time, each written by itself, so that characters are split.
      for (const byte of Buffer.from(chunk(SPLIT_TEXT))) await agent.write(Uint8Array.of(byte));
      await agent.write(
        Array.from({ length: 50 }, (_, index) => chunk(` many-${index};`)).join(""),
      );
      await agent.barrier();
      return true;
    });
    const { seen, problem, stdout } = played;
    const trouble = seen ? turnProblem(check, played) : problem;
    if (trouble !== undefined) {
      return check.fail("DRC-FRAME-04", "the turn completes however its bytes are split", trouble);
    }
    if (!check.baseline.showsText) return check.pass("DRC-FRAME-04", "the turn completed");
    const lost = [SPLIT_TEXT, "many-0;", "many-49;"].find((text) => !stdout.includes(text));
    if (lost === undefined) check.pass("DRC-FRAME-04", `the text "${SPLIT_TEXT}" arrived whole`);
    else check.fail("DRC-FRAME-04", "all text arrives", `"${lost}" was not shown`);
  },
};

const KIB = 1024;
const SIZES = [100 * KIB, 8 * KIB * KIB, 40 * KIB * KIB];

const large: ClientCase = {
  ids: ["DRC-FRAME-05"],
  run: async (check) => {
    const taken: string[] = [];
    for (const size of SIZES) {
      const played = await playTurn(
        check,
        async (agent) => {
          await agent.say("big", { _meta: { padding: "x".repeat(size) } });
          await agent.barrier();
          return true;
        },
        { limitMs: 3 * check.limitMs },
      );
      const { end, seen, agent } = played;
      if (!agent) return check.untested("DRC-FRAME-05", played.problem);
      const name = `a message of ${Math.round(size / KIB)} KiB`;
      const expected = "a large message is taken, or refused with a clean error";
      if (!end) return check.fail("DRC-FRAME-05", expected, `the client hangs after ${name}`);
      if (end.signal !== null && end.isOwn) {
        return check.fail("DRC-FRAME-05", expected, `${name} ended the client by ${end.signal}`);
      }
      const isTaken = seen === true && turnProblem(check, played, HELLO) === undefined;
      if (!isTaken && played.stderr.trim() === "") {
        return check.fail(
          "DRC-FRAME-05",
          expected,
          `after ${name}, the turn failed without a message`,
        );
      }
      taken.push(`${name} was ${isTaken ? "taken" : "refused with an error"}`);
    }
    check.pass("DRC-FRAME-05", taken.join("; "));
  },
};

export const FRAMING_CASES: readonly ClientCase[] = [noise, split, large];

import { Unmet } from "../../harness/errors.ts";
import { textChunk } from "../agent.ts";
import type { ClientCase } from "../case.ts";
import { promptProblem, tryTurn, unusualTurn } from "../observe.ts";
import { initialized } from "../scenario.ts";

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
    const played = await tryTurn(
      check,
      async (agent) => {
        await agent.write(`${NOISE.join("\n")}\n`);
        await agent.barrier();
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
    const { agent, problem, trouble } = played;
    if (!agent) throw new Unmet(promptProblem(played));
    const words = `${2 * NOISE.length} lines that are not messages`;
    check.judge("DRC-FRAME-02", !trouble, words, trouble ?? "the turn completed");
    const answers = agent.received.filter(
      ({ json }) => json && !("method" in json) && (json["id"] ?? null) === null,
    );
    if (problem && answers.length === 0) throw problem;
    check.judge("DRC-FRAME-03", answers.length === 0, `${answers.length} answers`, answers);
  },
};

const SPLIT_TEXT = "Grüße-👩‍👩‍👧-日本語";

const split = unusualTurn(
  {
    id: "DRC-FRAME-04",
    what: "split and joined lines",
    faults: ({ stdout }, { baseline }) =>
      [SPLIT_TEXT, "many-0;", "many-49;"].map(
        (text) => baseline.showsText && !stdout.includes(text) && `"${text}" was not shown`,
      ),
  },
  async (agent) => {
    const line = (text: string): string => agent.updateLine(textChunk(text));
    // One byte at a time, each written by itself, so that characters are split.
    for (const byte of Buffer.from(line(SPLIT_TEXT))) await agent.write(Uint8Array.of(byte));
    await agent.write(Array.from({ length: 50 }, (_, at) => line(` many-${at};`)).join(""));
    await agent.barrier();
  },
);

const KIB = 1024;
const SIZES = [100 * KIB, 8 * KIB * KIB, 40 * KIB * KIB];

const large: ClientCase = {
  ids: ["DRC-FRAME-05"],
  run: async (check) => {
    for (const size of SIZES) {
      const played = await tryTurn(
        check,
        async (agent) => {
          await agent.say("big", { _meta: { padding: "x".repeat(size) } });
          await agent.barrier();
        },
        { limitMs: 3 * check.limitMs },
      );
      const { agent, end, trouble, stderr } = played;
      if (!agent) throw new Unmet(promptProblem(played));
      const hasCrashed = end !== undefined && end.isOwn && end.signal !== null;
      const isTold = trouble === undefined || stderr.trim() !== "";
      const isKept = end !== undefined && !hasCrashed && isTold;
      const words = `a message of ${size / KIB} KiB`;
      if (!check.judge("DRC-FRAME-05", isKept, words, trouble ?? "it was taken")) return;
    }
  },
};

export const FRAMING_CASES: readonly ClientCase[] = [noise, split, large];

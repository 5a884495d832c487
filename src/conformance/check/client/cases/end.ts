import { within } from "../../../../base/index.ts";
import type { CheckingAgent } from "../agent.ts";
import type { ClientCase, ClientCheck, Played } from "../case.ts";
import {
  describeEnd,
  isReported,
  lastLine,
  playTurn,
  promptProblem,
  turnProblem,
} from "../observe.ts";
import type { DriverAction } from "../driver.ts";
import { HELLO, type Scenario } from "../scenario.ts";
import { playCancel } from "./play-cancel.ts";

const REASON = "the-agent-broke-on-purpose";
/** An exit code that no client uses for itself. */
const CODE = 87;

async function complainAndExit(agent: CheckingAgent): Promise<never> {
  const bytes = Buffer.from(`${REASON}\n`).toString("base64");
  await agent.order({ type: "complain", bytes });
  agent.order({ type: "exit", code: CODE }).catch(() => {});
  return never();
}

function never(): Promise<never> {
  return new Promise<never>(() => {});
}

/** A way in which the agent dies. */
interface Death {
  readonly when: string;
  readonly play: (check: ClientCheck) => Promise<Played>;
  /** The texts of which the client must show each; alternatives are in one pattern. */
  readonly shown: readonly RegExp[];
}

const WITH_CODE = [new RegExp(String(CODE)), new RegExp(REASON)];

const DEATHS: readonly Death[] = [
  {
    when: "before it answers initialize",
    play: (check) => check.play({ begin: (agent) => complainAndExit(agent) }),
    shown: WITH_CODE,
  },
  {
    when: "in a turn",
    play: (check) =>
      check.play({ turn: async (agent) => (await agent.say("half "), complainAndExit(agent)) }),
    shown: WITH_CODE,
  },
  {
    when: "by SIGKILL in a turn",
    play: (check) =>
      check.play({
        turn: async (agent) => {
          agent.order({ type: "die", signal: "SIGKILL" }).catch(() => {});
          return never();
        },
      }),
    shown: [/SIGKILL|\b(?:9|137)\b|kill/i],
  },
];

/** A client that its user made to cancel has reported enough with its exit code. */
const DEATH_IN_CANCEL: Death = {
  when: "while the turn is cancelled",
  play: (check) => playCancel(check, { after: (agent) => complainAndExit(agent) }),
  shown: [],
};

const deaths: ClientCase = {
  ids: ["DRC-END-01"],
  run: async (check) => {
    const id = "DRC-END-01";
    const expected =
      "the client reports the death of the agent in bounded time, with its exit code and stderr";
    const all = check.has("cancel") ? [...DEATHS, DEATH_IN_CANCEL] : DEATHS;
    for (const { when, play, shown } of all) {
      const played = await play(check);
      const { agent, end, stdout, stderr: errors } = played;
      if (!agent) return check.untested(id, promptProblem(played));
      const dead = `when the agent dies ${when}, the client`;
      if (!end) return check.fail(id, expected, `${dead} hangs`);
      if (!isReported(check, played))
        return check.fail(id, expected, `${dead} ends with ${describeEnd(end)}`);
      const output = `${stdout}\n${errors}`;
      const missing = shown.find((pattern) => !pattern.test(output));
      if (missing) {
        const what = missing.source === REASON ? "the agent's stderr" : "how it ended";
        return check.fail(id, expected, `${dead} does not show ${what}: ${lastLine(output)}`);
      }
    }
    check.pass(id, `the agent died ${all.map(({ when }) => when).join(", ")}, and it was reported`);
  },
};

/** Waits until the agent has seen a method, and then ends the client. */
function terminated(method: string): (run: Played["run"]) => Promise<void> {
  return async (run) => {
    const agent = await Promise.race([run.first, run.ended.then((): undefined => undefined)]);
    await agent?.until(method, ({ json }) => json?.["method"] === method).catch(() => {});
    run.signal("SIGTERM");
  };
}

/** The requests at which an agent may hang, with the entries of the driver that lead there. */
const STEPS: readonly (readonly [method: string, drive: readonly DriverAction[]])[] = [
  ["initialize", []],
  ["session/new", []],
  ["session/load", ["load"]],
  ["session/prompt", []],
];

/** The behaviour of the client when its agent hangs at a request; undefined if it ends as it should. */
async function hangProblem(
  check: ClientCheck,
  method: string,
  drive: readonly DriverAction[],
): Promise<string | undefined> {
  const scenario: Scenario = { methods: { [method]: never }, ignoresEnd: true };
  const stopped = await check.play(scenario, { drive, beside: terminated(method) });
  if (!stopped.end) return `at ${method}, SIGTERM does not end it`;
  if (!check.has("timeout")) return undefined;
  const limited = await check.play(scenario, { drive: [...drive, "timeout"] });
  if (limited.end?.isOwn !== true) return `at ${method}, its own time limit does not end it`;
  return isReported(check, limited) ? undefined : `at ${method}, it reports nothing`;
}

const hangs: ClientCase = {
  ids: ["DRC-END-02"],
  run: async (check) => {
    const id = "DRC-END-02";
    const closed = await check.play({
      turn: async (agent) => {
        await agent.order({ type: "closeOutput" });
        return never();
      },
      ignoresEnd: true,
    });
    if (!closed.agent?.calls("session/prompt").length)
      return check.untested(id, promptProblem(closed));
    if (!closed.end)
      return check.fail(
        id,
        "when the agent closes its stdout, the client ends",
        "the client waits without a limit",
      );
    const steps = STEPS.filter(([, drive]) => drive.every((action) => check.has(action)));
    for (const [method, drive] of steps) {
      const problem = await hangProblem(check, method, drive);
      if (problem !== undefined)
        return check.fail(id, "a client whose agent hangs can be ended", problem);
    }
    const deaf = await check.play(
      {
        turn: async (agent) => {
          await agent.order({ type: "stopReading" });
          return never();
        },
        ignoresEnd: true,
      },
      { beside: terminated("session/prompt") },
    );
    if (!deaf.end)
      return check.fail(id, "a client whose agent does not read can be ended", "it cannot");
    const how = check.has("timeout") ? "SIGTERM and its own limit" : "SIGTERM";
    check.pass(
      id,
      `the client ended when the agent closed its stdout, and by ${how} when it hung at ${steps.length} steps or did not read`,
    );
  },
};

const shutdown: ClientCase = {
  ids: ["DRC-END-03"],
  run: async (check) => {
    const id = "DRC-END-03";
    const expected =
      "the client closes the agent's stdin first, and ends an agent that ignores this by force";
    const played = await check.play({
      ignoresEnd: true,
      turn: async (agent) => {
        await agent.order({ type: "holdOn" });
        await agent.say(HELLO);
        return "end_turn";
      },
    });
    const { agent, end, run } = played;
    if (!agent?.calls("session/prompt").length) return check.untested(id, promptProblem(played));
    if (!end) return check.fail(id, expected, "the client did not end in time");
    const isGone = await within(agent.gone, check.limitMs);
    const isDead = await run.areGone([agent.pid], check.limitMs);
    const [firstEnd] = agent.ends;
    if (!isGone || !isDead) return check.fail(id, expected, "the agent is still running");
    if (firstEnd !== "end") {
      return check.fail(
        id,
        expected,
        firstEnd === undefined ? "the agent was killed at once" : `${firstEnd} came first`,
      );
    }
    check.pass(id, `the agent saw ${agent.ends.join(", then ")}, and was ended by force`);
  },
};

type Ending = "by itself" | "SIGINT" | "SIGTERM" | "SIGKILL";

async function leftAfter(check: ClientCheck, ending: Ending): Promise<string | undefined> {
  const pids: number[] = [];
  const played = await check.play(
    {
      turn: async (agent) => {
        pids.push(agent.pid, ...(await agent.order({ type: "startChildren" })));
        await agent.say("children-started ");
        if (ending === "by itself") return "end_turn";
        await agent.barrier().catch(() => {});
        return new Promise<never>(() => {});
      },
    },
    {
      beside: async (run) => {
        if (ending === "by itself") return;
        const agent = await Promise.race([run.first, run.ended.then((): undefined => undefined)]);
        const isReady = ({ json }: { json: unknown }): boolean =>
          typeof json === "object" && json !== null && !("method" in json);
        await agent?.until("the children", isReady).catch(() => {});
        run.signal(ending);
      },
    },
  );
  if (pids.length === 0) return promptProblem(played);
  if (!played.end) return `the client does not end (${ending})`;
  const isClean = await played.run.areGone(pids, check.limitMs);
  if (isClean) return undefined;
  return `after the client ended (${ending}), a process of the agent is still running`;
}

const leftovers: ClientCase = {
  ids: ["DRC-END-04"],
  run: async (check) => {
    const id = "DRC-END-04";
    const endings: readonly Ending[] = check.baseline.exits
      ? ["by itself", "SIGINT", "SIGTERM", "SIGKILL"]
      : ["SIGINT", "SIGTERM", "SIGKILL"];
    for (const ending of endings) {
      const problem = await leftAfter(check, ending);
      if (problem !== undefined) {
        const expected =
          "the agent, its child and its grandchild in a group of its own end with the client";
        return check.fail(id, expected, problem);
      }
    }
    check.pass(id, `nothing was left after the client ended: ${endings.join(", ")}`);
  },
};

const UPDATES = 200_000;
const BATCH = 500;
const MOST_MEMORY_KB = 1024 * 1024;

const flood: ClientCase = {
  ids: ["DRC-END-05"],
  run: async (check) => {
    const id = "DRC-END-05";
    const limitMs = 12 * check.limitMs;
    const played = await playTurn(
      check,
      async (agent) => {
        const { sessionId } = agent;
        for (let from = 0; from < UPDATES; from += BATCH) {
          const lines = Array.from({ length: BATCH }, (_, index) =>
            JSON.stringify({
              jsonrpc: "2.0",
              method: "session/update",
              params: {
                sessionId,
                update: {
                  sessionUpdate: "agent_message_chunk",
                  content: { type: "text", text: `${from + index},` },
                },
              },
            }),
          );
          // Resolves when the client has taken the bytes, so a slow client makes the agent wait.
          await agent.write(`${lines.join("\n")}\n`);
        }
        return true;
      },
      { limitMs },
    );
    if (!played.seen) return check.fail(id, `${UPDATES} updates are taken`, played.problem);
    const trouble = turnProblem(check, played);
    if (trouble !== undefined) return check.fail(id, `${UPDATES} updates are taken`, trouble);
    const memory = played.run.peakMemoryKb;
    if (memory > MOST_MEMORY_KB)
      return check.fail(id, "memory stays bounded", `the client used ${memory} KB`);
    if (!check.baseline.showsText)
      return check.pass(id, `${UPDATES} updates were taken, with at most ${memory} KB`);
    const numbers = played.stdout.replaceAll(/\s/g, "").match(/\d+(?=,)/g) ?? [];
    const isWhole =
      numbers.length === UPDATES && numbers.every((text, index) => Number(text) === index);
    if (isWhole)
      check.pass(id, `${UPDATES} updates were shown in order, with at most ${memory} KB`);
    else
      check.fail(
        id,
        "all updates are handled, in order",
        `${numbers.length} of ${UPDATES} are shown in order`,
      );
  },
};

const STDERR_BYTES = 10 * 1024 * 1024;

const stderr: ClientCase = {
  ids: ["DRC-END-06"],
  run: async (check) => {
    const id = "DRC-END-06";
    const played = await playTurn(check, async (agent) => {
      const line = Buffer.from(`${"e".repeat(1023)}\n`).toString("base64");
      for (let sent = 0; sent < STDERR_BYTES; sent += 256 * 1024) {
        const bytes = Buffer.from(`${"e".repeat(1023)}\n`.repeat(256)).toString("base64");
        await agent.order({ type: "complain", bytes: sent === 0 ? line : bytes });
      }
      return true;
    });
    const trouble = played.seen ? turnProblem(check, played) : played.problem;
    if (trouble === undefined) check.pass(id, "10 MB on stderr did not hold up the turn");
    else
      check.fail(
        id,
        "10 MB on stderr do not hold up the turn",
        `${trouble}: ${lastLine(played.stderr)}`,
      );
  },
};

export const END_CASES: readonly ClientCase[] = [deaths, hangs, shutdown, leftovers, flood, stderr];

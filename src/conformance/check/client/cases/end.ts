import { within } from "../../../../base/index.ts";
import { Unmet } from "../../harness/errors.ts";
import { textChunk, type AgentFrame, type CheckingAgent } from "../agent.ts";
import type { ClientCase, ClientCheck, Played, ScenarioOptions } from "../case.ts";
import type { DriverAction } from "../driver.ts";
import {
  describeEnd,
  describePlayed,
  isReported,
  playCalling,
  promptProblem,
  unusualTurnCase,
} from "../play-turn.ts";
import { HELLO, type Scenario } from "../scenario.ts";
import type { ClientRun } from "../subject.ts";
import { playCancel } from "./cancel.ts";
import { firstFault } from "../../verdicts.ts";

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
    for (const { when, play, shown } of [
      ...DEATHS,
      ...(check.has("cancel") ? [DEATH_IN_CANCEL] : []),
    ]) {
      const played = await play(check);
      if (!played.agent) throw new Unmet(promptProblem(played));
      const output = `${played.stdout}\n${played.stderr}`;
      const missing = shown.filter((pattern) => !pattern.test(output)).map(({ source }) => source);
      const isKept = isReported(check, played) && missing.length === 0;
      const words = missing.length === 0 ? "" : `, without ${missing.join(" and ")}`;
      if (!check.judge("DRC-END-01", isKept, `dead ${when}`, `${describePlayed(played)}${words}`))
        return;
    }
  },
};

/** Waits until the agent has seen a method, and then ends the client. */
function terminated(method: string): Required<Pick<ScenarioOptions, "beside">> {
  return {
    beside: async (run) => {
      const agent = await firstAgent(run);
      await agent?.until(method, ({ json }) => json?.["method"] === method).catch(() => {});
      run.signal("SIGTERM");
    },
  };
}

/** The first agent; undefined if the client ends before it starts one. */
function firstAgent(run: ClientRun): Promise<CheckingAgent | undefined> {
  return Promise.race([run.first, run.ended.then((): undefined => undefined)]);
}

/** The requests at which an agent may hang, with the entries of the driver that lead there. */
const STEPS: readonly (readonly [method: string, drive: readonly DriverAction[]])[] = [
  ["initialize", []],
  ["session/new", []],
  ["session/load", ["load"]],
  ["session/prompt", []],
];

/** A turn in which the agent does something and then hangs, even without its stdin. */
function hanging(type: "closeOutput" | "stopReading"): Scenario {
  return {
    turn: async (agent) => {
      await agent.order({ type });
      return never();
    },
    ignoresEnd: true,
  };
}

const hangs: ClientCase = {
  ids: ["DRC-END-02"],
  run: async (check) => {
    const judge = (isKept: boolean, what: string, played: Played): boolean =>
      check.judge("DRC-END-02", isKept, what, describeEnd(played.end));
    const closed = await playCalling(check, "session/prompt", hanging("closeOutput"));
    if (!judge(closed.end !== undefined, "the agent closes its stdout", closed)) return;
    const steps = STEPS.filter(([, drive]) => drive.every((action) => check.has(action)));
    for (const [method, drive] of steps) {
      const scenario: Scenario = { methods: { [method]: never }, ignoresEnd: true };
      const stopped = await check.play(scenario, { drive, ...terminated(method) });
      if (!judge(stopped.end !== undefined, `SIGTERM at ${method}`, stopped)) return;
      if (!check.has("timeout")) continue;
      const limited = await check.play(scenario, { drive: [...drive, "timeout"] });
      const isKept = limited.end?.isOwn === true && isReported(check, limited);
      if (!judge(isKept, `its own time limit at ${method}`, limited)) return;
    }
    const deaf = await check.play(hanging("stopReading"), terminated("session/prompt"));
    judge(deaf.end !== undefined, "SIGTERM while the agent does not read", deaf);
  },
};

const shutdown: ClientCase = {
  ids: ["DRC-END-03"],
  run: async (check) => {
    const { agent, end, run } = await playCalling(check, "session/prompt", {
      ignoresEnd: true,
      turn: async (one) => {
        await one.order({ type: "holdOn" });
        await one.say(HELLO);
        return "end_turn";
      },
    });
    const isDead =
      end !== undefined &&
      (await within(agent.gone, check.limitMs)) &&
      (await run.areGone([agent.pid], check.limitMs));
    const words = `the agent saw ${agent.ends.join(", then ") || "no end of its stdin"}`;
    const fault = firstFault(
      !end && "the client did not end in time",
      !isDead && "the agent is still running",
      agent.ends[0] !== "end" && words,
    );
    check.judge("DRC-END-03", !fault, fault ?? `${words}, and was ended by force`);
  },
};

type Ending = "by itself" | "SIGINT" | "SIGTERM" | "SIGKILL";

/** Lets the client end, and judges that no process of the agent is left. */
async function judgeLeftovers(check: ClientCheck, ending: Ending): Promise<boolean> {
  const pids: number[] = [];
  const played = await check.play(
    {
      turn: async (agent) => {
        pids.push(agent.pid, ...(await agent.order({ type: "startChildren" })));
        await agent.say("children-started ");
        if (ending === "by itself") return "end_turn";
        await agent.barrier().catch(() => {});
        return never();
      },
    },
    {
      beside: async (run) => {
        if (ending === "by itself") return;
        const agent = await firstAgent(run);
        const isAnswer = ({ json }: AgentFrame): boolean =>
          json !== undefined && !("method" in json);
        await agent?.until("the children", isAnswer).catch(() => {});
        run.signal(ending);
      },
    },
  );
  const isClean = played.end && (await played.run.areGone(pids, check.limitMs));
  const fault = firstFault(
    pids.length === 0 && promptProblem(played),
    !played.end && "it does not end",
    !isClean && "a process of the agent is still running",
  );
  return check.judge(
    "DRC-END-04",
    !fault,
    `the client ends (${ending})`,
    fault ?? "nothing is left",
  );
}

const leftovers: ClientCase = {
  ids: ["DRC-END-04"],
  run: async (check) => {
    const own = check.baseline.exits ? (["by itself"] as const) : [];
    for (const ending of [...own, "SIGINT", "SIGTERM", "SIGKILL"] as const)
      if (!(await judgeLeftovers(check, ending))) return;
  },
};

const UPDATES = 200_000;
const BATCH = 500;
const MOST_MEMORY_KB = 1024 * 1024;

const flood = unusualTurnCase(
  {
    id: "DRC-END-05",
    what: `${UPDATES} updates`,
    limits: 12,
    faults: ({ run, stdout }, { baseline }) => {
      const memory = run.peakMemoryKb;
      const numbers = stdout.replaceAll(/\s/g, "").match(/\d+(?=,)/g) ?? [];
      const isWhole =
        numbers.length === UPDATES && numbers.every((text, index) => Number(text) === index);
      return [
        memory > MOST_MEMORY_KB && `the client used ${memory} KB`,
        baseline.showsText && !isWhole && `${numbers.length} are shown, or not in order`,
      ];
    },
  },
  async (agent) => {
    const { sessionId } = agent;
    for (let from = 0; from < UPDATES; from += BATCH) {
      const lines = Array.from({ length: BATCH }, (_, index) => {
        const params = { sessionId, update: textChunk(`${from + index},`) };
        return `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\n`;
      });
      // Resolves when the client has taken the bytes, so a slow client makes the agent wait.
      await agent.write(lines.join(""));
    }
  },
);

const STDERR_BYTES = 10 * 1024 * 1024;

const stderr = unusualTurnCase({ id: "DRC-END-06", what: "10 MB on stderr" }, async (agent) => {
  const line = `${"e".repeat(1023)}\n`;
  for (let sent = 0; sent < STDERR_BYTES; sent += 256 * 1024) {
    const text = sent === 0 ? line : line.repeat(256);
    await agent.order({ type: "complain", bytes: Buffer.from(text).toString("base64") });
  }
});

export const END_CASES: readonly ClientCase[] = [deaths, hangs, shutdown, leftovers, flood, stderr];

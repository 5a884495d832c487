import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { booleanField, objectField, stringField, type JsonObject } from "../../../../base/index.ts";
import { NotApplicable, Unmet } from "../../harness/errors.ts";
import { isError, METHOD_NOT_FOUND, resultOf, shown, type CallReply } from "../../harness/reply.ts";
import { type AgentQuestion, type CheckingAgent, workspaceOf, scratchFolder } from "../agent.ts";
import type { ClientCase, ClientCheck, Played } from "../case.ts";
import { playTurn, tryTurn, type ScriptedTurnOptions, type ScriptedTurn } from "../play-turn.ts";

/** The program that runs in the client's terminals: Node itself, which is there for sure. */
const NODE = process.execPath;

/** The answer to `terminal/output`. */
interface TerminalOutput {
  readonly text: string;
  readonly isCut: boolean;
  readonly exit: JsonObject | undefined;
  readonly reply: CallReply;
}

/** One terminal of the client. */
class ClientTerminal {
  readonly #agent: CheckingAgent;
  readonly id: string;
  readonly created: CallReply;

  constructor(agent: CheckingAgent, created: CallReply) {
    this.#agent = agent;
    this.created = created;
    this.id = stringField(resultOf(created), "terminalId") ?? "";
  }

  /** Runs a script. `more`: params that replace others. */
  static async create(
    agent: CheckingAgent,
    script: string,
    more: JsonObject = {},
  ): Promise<ClientTerminal> {
    const { sessionId } = agent;
    const params = { sessionId, command: NODE, args: ["-e", script], ...more };
    return new ClientTerminal(agent, await agent.ask("terminal/create", params));
  }

  begin(method: string, sessionId = this.#agent.sessionId): AgentQuestion {
    return this.#agent.begin(`terminal/${method}`, { sessionId, terminalId: this.id });
  }

  async output(): Promise<TerminalOutput> {
    const reply = await this.begin("output").answer;
    const result = resultOf(reply);
    return {
      text: stringField(result, "output") ?? "",
      isCut: booleanField(result, "truncated") ?? false,
      exit: objectField(result, "exitStatus"),
      reply,
    };
  }

  /** The result of `wait_for_exit`, or an empty object. */
  async exit(): Promise<JsonObject> {
    return resultOf(await this.begin("wait_for_exit").answer);
  }

  async release(): Promise<CallReply> {
    return this.begin("release").answer;
  }
}

/**
 * Plays a turn with terminals, on a client that allows commands if its driver can make it. Throws
 * {@link NotApplicable} without terminals; if they do not answer, the client breaks all requirements.
 */
async function withTerminals<T>(
  check: ClientCheck,
  ids: readonly string[],
  work: (agent: CheckingAgent, turn: ScriptedTurn) => Promise<T>,
  options: ScriptedTurnOptions = {},
): Promise<(Played & { readonly seen: T }) | undefined> {
  if (!offersTerminals(check.baseline.allowing))
    throw new NotApplicable("the client does not offer terminals");
  let probe: CallReply | undefined;
  const { done, problem, ...played } = await tryTurn(
    check,
    async (agent, turn) => {
      const terminal = await ClientTerminal.create(agent, "");
      probe = terminal.created;
      if (probe.kind === "error") throw new Unmet("the client refused to create a terminal");
      await terminal.release();
      return work(agent, turn);
    },
    { ...options, prefer: ["allow"] },
  );
  if (done) return { ...played, ...done };
  if (probe?.kind === "error" && !check.has("allow")) {
    throw new NotApplicable('the client denied the command, and the driver has no entry "allow"');
  }
  for (const id of ids) check.judge(id, false, problem?.message);
  return undefined;
}

/** A command that leaves a mark when it runs. */
async function marking(agent: CheckingAgent): Promise<{ mark: string; script: string }> {
  const mark = join(await scratchFolder(agent), "ran");
  return { mark, script: `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "")` };
}

const notOffered: ClientCase = {
  ids: ["DRC-TERM-01"],
  run: async (check) => {
    const isOffered = offersTerminals(check.baseline.capabilities);
    if (isOffered && !check.has("noTerminal")) {
      throw new NotApplicable(
        'the client offers terminals, and the driver has no entry "noTerminal"',
      );
    }
    await playTurn(
      check,
      async (agent, { judge }) => {
        if (offersTerminals(agent.capabilities))
          throw new Unmet("the client still offers terminals");
        const { mark, script } = await marking(agent);
        const { sessionId } = agent;
        const params = { sessionId, command: NODE, args: ["-e", script] };
        const reply = await agent.call("terminal/create", params);
        await agent.barrier();
        const hasRun = existsSync(mark);
        const isKept = isError(reply, METHOD_NOT_FOUND) && !hasRun;
        judge("DRC-TERM-01", isKept, `the command ran: ${hasRun}`, reply);
      },
      { drive: isOffered ? ["noTerminal"] : [] },
    );
  },
};

/** A command that waits until a file is there. */
function waitingFor(file: string): string {
  return `const { existsSync } = require("node:fs");
process.stdout.write("started\\n");
const timer = setInterval(() => { if (existsSync(${JSON.stringify(file)})) { process.stdout.write("done\\n"); clearInterval(timer); } }, 20);`;
}

const life: ClientCase = {
  ids: ["DRC-TERM-02", "DRC-TERM-03"],
  run: async (check) => {
    const played = await withTerminals(check, life.ids, async (agent, { judge }) => {
      const go = join(await scratchFolder(agent), "go");
      const waiting = await ClientTerminal.create(agent, waitingFor(go));
      const other = await ClientTerminal.create(agent, "");
      const early = await waiting.output();
      const waiters = [waiting.begin("wait_for_exit"), waiting.begin("wait_for_exit")];
      await agent.barrier();
      const wasEarly = waiters.some(({ id }) => agent.answersTo(id).length > 0);
      await writeFile(go, "");
      const exits = await Promise.all(waiters.map(({ answer }) => answer));
      const late = await waiting.output();
      for (const one of [waiting, other]) await one.release();
      judge("DRC-TERM-03", !early.exit, "output while the command runs", early.reply);
      judge("DRC-TERM-03", !wasEarly, `wait_for_exit answered before the end: ${wasEarly}`);
      for (const exit of exits)
        judge("DRC-TERM-03", resultOf(exit)["exitCode"] === 0, "wait_for_exit", exit);
      const isWhole = late.exit?.["exitCode"] === 0 && late.text.includes("done");
      judge("DRC-TERM-03", isWhole, "output after the end", late.reply);
      return [waiting.id, other.id];
    });
    if (!played) return;
    const ids = played.seen;
    const areUnique = new Set(ids).size === ids.length && !ids.includes("");
    if (areUnique && check.has("deny")) await judgeDenied(check);
    check.judge("DRC-TERM-02", areUnique, `the ids are ${shown(ids)}`);
  },
};

/** A command that is denied must not run. */
async function judgeDenied(check: ClientCheck): Promise<void> {
  await playTurn(
    check,
    async (agent, { judge }) => {
      const { mark, script } = await marking(agent);
      const terminal = await ClientTerminal.create(agent, script);
      if (terminal.id !== "") await terminal.exit();
      await agent.barrier();
      const hasRun = existsSync(mark);
      judge("DRC-TERM-02", !hasRun, `a denied command ran: ${hasRun}`, terminal.created);
    },
    { drive: ["deny"] },
  );
}

const ODD_WORDS = ["two words", "it's", '"quoted"', "$HOME", "*", ""];
const SHOW =
  "process.stdout.write(JSON.stringify({ args: process.argv.slice(1), env: process.env.CHECK_VALUE, cwd: process.cwd() }))";

const exact: ClientCase = {
  ids: ["DRC-TERM-04", "DRC-TERM-05"],
  run: async (check) => {
    await withTerminals(check, exact.ids, async (agent, { judge }) => {
      const literal = await ClientTerminal.create(agent, "", {
        args: ["-e", SHOW, "--", ...ODD_WORDS],
        env: [{ name: "CHECK_VALUE", value: "a b=c" }],
      });
      await literal.exit();
      const { text, reply } = await literal.output();
      const wanted = { args: ODD_WORDS, env: "a b=c", cwd: workspaceOf(agent) };
      judge("DRC-TERM-04", text === JSON.stringify(wanted), "arguments, env and cwd", reply);
      const three = await ClientTerminal.create(agent, "process.exit(3)");
      const killed = await ClientTerminal.create(
        agent,
        "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)",
      );
      const ends = [await three.exit(), await killed.exit()];
      const areExact = ends[0]?.["exitCode"] === 3 && ends[1]?.["signal"] === "SIGTERM";
      judge("DRC-TERM-04", areExact, `exit code 3 and SIGTERM are ${shown(ends)}`);
      const limited = await ClientTerminal.create(
        agent,
        'process.stdout.write("x".repeat(100) + "é".repeat(50))',
        { outputByteLimit: 21 },
      );
      await limited.exit();
      const cut = await limited.output();
      const bytes = Buffer.byteLength(cut.text);
      const isKept = cut.isCut && bytes <= 21 && bytes >= 18 && /^é+$/.test(cut.text);
      judge("DRC-TERM-05", isKept, `${bytes} bytes of 21`, cut.reply);
      for (const one of [literal, three, killed, limited]) await one.release();
    });
  },
};

/** A running command with a child, and both process ids. */
interface Parent {
  readonly terminal: ClientTerminal;
  readonly pids: readonly number[];
}

async function startParent(agent: CheckingAgent): Promise<Parent> {
  const file = join(await scratchFolder(agent), "pids");
  const child = `require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })`;
  const terminal = await ClientTerminal.create(
    agent,
    `const child = ${child};
require("node:fs").writeFileSync(${JSON.stringify(file)}, process.pid + " " + child.pid);
process.stdout.write("running\\n"); setInterval(() => {}, 1000);`,
  );
  while (!(await terminal.output()).text.includes("running")) await agent.barrier();
  return { terminal, pids: (await readFile(file, "utf8")).split(" ").map(Number) };
}

const ending: ClientCase = {
  ids: ["DRC-TERM-06", "DRC-TERM-07"],
  run: async (check) => {
    const played = await withTerminals(check, ending.ids, async (agent, { judge }) => {
      const killed = await startParent(agent);
      const released = await startParent(agent);
      await killed.terminal.begin("kill").answer;
      const exit = await killed.terminal.begin("wait_for_exit").reply;
      const after = await killed.terminal.begin("output").reply;
      const release = await released.terminal.release();
      const reuse = await released.terminal.begin("output").reply;
      await killed.terminal.release();
      const isAnswered = exit.kind === "result" || exit.kind === "error";
      judge("DRC-TERM-06", isAnswered, "the wait for a killed command", exit);
      const isReadable = stringField(resultOf(after), "output")?.includes("running") === true;
      judge("DRC-TERM-06", isReadable, "the output after kill", after);
      judge("DRC-TERM-07", release.kind !== "error", "release", release);
      judge("DRC-TERM-07", reuse.kind === "error", "output after release", reuse);
      return { "DRC-TERM-06": killed.pids, "DRC-TERM-07": released.pids };
    });
    for (const [id, pids] of Object.entries(played?.seen ?? {}))
      await judgeGone(check, id, pids, played);
  },
};

/** The processes of a terminal have ended, once the client has. */
async function judgeGone(
  check: ClientCheck,
  id: string,
  pids: readonly number[],
  played: Played | undefined,
): Promise<void> {
  const areGone = (await played?.run.areGone(pids, check.limitMs)) === true;
  check.judge(id, areGone, `the command and its child ${areGone ? "ended" : "did not end"}`);
}

const BIG = 100 * 1024 * 1024;
const MOST_MEMORY_KB = 1024 * 1024;

const odd: ClientCase = {
  ids: ["DRC-TERM-08"],
  run: async (check) => {
    const id = "DRC-TERM-08";
    const played = await withTerminals(
      check,
      [id],
      async (agent, { judge }) => {
        const missing = await ClientTerminal.create(agent, "", {
          command: "/no/such/command",
          args: [],
        });
        // A client may only find out when the command has to start.
        const exit = missing.id === "" ? undefined : await missing.begin("wait_for_exit").reply;
        const isTold =
          missing.created.kind === "error" ||
          exit?.kind === "error" ||
          (exit?.kind === "result" && resultOf(exit)["exitCode"] !== 0);
        judge(id, isTold, "an unknown command", missing.created, exit);
        const binary = await ClientTerminal.create(
          agent,
          "process.stdout.write(Buffer.from([0, 255, 254, 65, 10]))",
        );
        await binary.exit();
        const { text, reply } = await binary.output();
        judge(id, text.includes("A"), "binary output", reply);
        const big = await ClientTerminal.create(
          agent,
          `const b = Buffer.alloc(1024 * 1024, 97); let n = ${BIG / 1024 / 1024};
const go = () => { while (n-- > 0) if (!process.stdout.write(b)) return process.stdout.once("drain", go); }; go();`,
          { outputByteLimit: 1000 },
        );
        await big.exit();
        const kept = await big.output();
        const words = `of 100 MB, ${kept.text.length} characters are kept`;
        judge(id, kept.text.length <= 1000 && kept.isCut, words);
        const foreign = await big.begin("output", "unknown-session").reply;
        judge(id, foreign.kind === "error", "in another session", foreign);
        for (const one of [binary, big]) await one.release();
      },
      { limitMs: 3 * check.limitMs },
    );
    if (!played) return;
    const memory = played.run.peakMemoryKb;
    check.judge(id, memory <= MOST_MEMORY_KB, `the client used at most ${memory} KB`);
  },
};

const forgotten: ClientCase = {
  ids: ["DRC-TERM-09"],
  run: async (check) => {
    const played = await withTerminals(check, forgotten.ids, startParent);
    if (played) await judgeGone(check, "DRC-TERM-09", played.seen.pids, played);
  },
};

export const TERMINAL_CASES: readonly ClientCase[] = [
  notOffered,
  life,
  exact,
  ending,
  odd,
  forgotten,
];

export function offersTerminals(capabilities: JsonObject): boolean {
  return booleanField(capabilities, "terminal") ?? false;
}

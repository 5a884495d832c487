import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { objectField, stringField } from "../../../../base/index.ts";
import type { ClientCase, ClientCheck } from "../case.ts";
import { ClientTerminal, NODE, withTerminals } from "../terminal.ts";
import {
  codeOf,
  describeResponse,
  offersTerminals,
  playTurn,
  resultOf,
  scratchOf,
  settled,
} from "../observe.ts";

const notOffered: ClientCase = {
  ids: ["DRC-TERM-01"],
  run: async (check) => {
    const id = "DRC-TERM-01";
    const isOffered = offersTerminals(check.baseline.capabilities);
    if (isOffered && !check.has("noTerminal")) {
      return check.skip(
        id,
        'the client offers terminals, and the driver has no entry "noTerminal"',
      );
    }
    const played = await playTurn(
      check,
      async (agent) => {
        if (offersTerminals(agent.capabilities)) return undefined;
        const mark = join(await scratchOf(agent), "ran");
        const script = `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "")`;
        const { sessionId } = agent;
        const answer = await settled(
          agent.ask("terminal/create", { sessionId, command: NODE, args: ["-e", script] }),
        );
        await agent.barrier();
        return { answer, ran: existsSync(mark) };
      },
      { drive: isOffered ? ["noTerminal"] : [] },
    );
    const { seen } = played;
    const expected = "terminal/create is answered with -32601, and nothing runs";
    if (!seen) check.untested(id, played.problem || "the client still offers terminals");
    else if (seen.ran) check.fail(id, expected, "the command ran");
    else if (!seen.answer || codeOf(seen.answer) !== -32_601) {
      check.fail(id, expected, seen.answer ? describeResponse(seen.answer) : "no answer");
    } else check.pass(id, describeResponse(seen.answer));
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
    const played = await withTerminals(check, life.ids, async (agent) => {
      const go = join(await scratchOf(agent), "go");
      const waiting = await ClientTerminal.create(agent, waitingFor(go));
      const other = await ClientTerminal.create(agent, "");
      const early = await waiting.output();
      const waiters = [waiting.begin("wait_for_exit"), waiting.begin("wait_for_exit")];
      await agent.barrier();
      const wasEarly = waiters.some(({ id }) => agent.answersTo(id).length > 0);
      await writeFile(go, "");
      const answers = await Promise.all(waiters.map(({ response }) => response));
      const exits = answers.map((answer) => resultOf(answer) ?? {});
      const late = await waiting.output();
      for (const one of [waiting, other]) await one.call("release");
      return { ids: [waiting.id, other.id], early, wasEarly, exits, late };
    });
    if (!played?.seen) return;
    const { ids, early, wasEarly, exits, late } = played.seen;
    const areUnique = new Set(ids).size === ids.length && !ids.includes("");
    if (areUnique) await judgeDenied(check, ids);
    else
      check.fail(
        "DRC-TERM-02",
        "each terminal has an id of its own",
        `the ids are ${JSON.stringify(ids)}`,
      );
    const expected =
      "output answers at once without exitStatus while the command runs, and wait_for_exit waits";
    if (early.exit)
      check.fail("DRC-TERM-03", expected, `a running command has ${JSON.stringify(early.exit)}`);
    else if (wasEarly) check.fail("DRC-TERM-03", expected, "wait_for_exit answered before the end");
    else if (exits.some((exit) => exit["exitCode"] !== 0)) {
      check.fail("DRC-TERM-03", "each waiter gets exitCode 0", JSON.stringify(exits));
    } else if (late.exit?.["exitCode"] !== 0 || !late.text.includes("done")) {
      check.fail(
        "DRC-TERM-03",
        "after the end, output has the text and exitStatus",
        JSON.stringify(late.raw["result"]),
      );
    } else check.pass("DRC-TERM-03", "two waiters got the exit code, and output did not wait");
  },
};

/** A command that is denied must not run. */
async function judgeDenied(check: ClientCheck, ids: readonly string[]): Promise<void> {
  if (!check.has("deny"))
    return check.pass("DRC-TERM-02", `the terminals are ${ids.join(" and ")}`);
  const { seen, problem } = await playTurn(
    check,
    async (agent) => {
      const mark = join(await scratchOf(agent), "ran");
      const terminal = await ClientTerminal.create(
        agent,
        `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "")`,
      );
      if (terminal.id !== "") await terminal.exit();
      await agent.barrier();
      return existsSync(mark);
    },
    { drive: ["deny"] },
  );
  if (seen === undefined) check.untested("DRC-TERM-02", problem);
  else if (seen)
    check.fail("DRC-TERM-02", "a command that the client denies does not run", "it ran");
  else
    check.pass(
      "DRC-TERM-02",
      `the terminals are ${ids.join(" and ")}, and a denied command did not run`,
    );
}

const ODD_WORDS = ["two words", "it's", '"quoted"', "$HOME", "*", ""];

const exact: ClientCase = {
  ids: ["DRC-TERM-04", "DRC-TERM-05"],
  run: async (check) => {
    const played = await withTerminals(check, exact.ids, async (agent) => {
      const { sessionId, folder } = agent;
      const show =
        "process.stdout.write(JSON.stringify({ args: process.argv.slice(1), env: process.env.CHECK_VALUE, cwd: process.cwd() }))";
      const [opened] = agent.calls("session/new");
      const cwd = stringField(objectField(opened?.json ?? {}, "params") ?? {}, "cwd") ?? folder;
      const args = ["-e", show, "--", ...ODD_WORDS];
      const env = [{ name: "CHECK_VALUE", value: "a b=c" }];
      const created = await agent.ask("terminal/create", { sessionId, command: NODE, args, env });
      const terminal = new ClientTerminal(agent, created);
      await terminal.exit();
      const { text } = await terminal.output();
      const three = await ClientTerminal.create(agent, "process.exit(3)");
      const killed = await ClientTerminal.create(
        agent,
        "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)",
      );
      const ends = [await three.exit(), await killed.exit()];
      const limited = await ClientTerminal.create(
        agent,
        'process.stdout.write("x".repeat(100) + "é".repeat(50))',
        {
          outputByteLimit: 21,
        },
      );
      await limited.exit();
      const cut = await limited.output();
      for (const one of [terminal, three, killed, limited]) await one.call("release");
      return { text, cwd, ends, cut };
    });
    if (!played?.seen) return;
    const { text, cwd, ends, cut } = played.seen;
    const wanted = JSON.stringify({ args: ODD_WORDS, env: "a b=c", cwd });
    const [three, killed] = ends;
    const expected = "arguments are literal, env and cwd are applied, and the exit status is exact";
    if (text !== wanted) check.fail("DRC-TERM-04", `${expected}: ${wanted}`, text || "no output");
    else if (three?.["exitCode"] !== 3 || killed?.["signal"] !== "SIGTERM") {
      check.fail("DRC-TERM-04", "exit code 3, and signal SIGTERM", JSON.stringify(ends));
    } else check.pass("DRC-TERM-04", "arguments, env, cwd, exit code 3 and SIGTERM were exact");
    const bytes = Buffer.byteLength(cut.text);
    const isWhole = /^é+$/.test(cut.text);
    if (cut.isCut && bytes <= 21 && bytes >= 18 && isWhole) {
      check.pass("DRC-TERM-05", `the last ${bytes} bytes were kept, cut at a character`);
    } else {
      const limit = "of 21 bytes, the end is kept, cut at a character, and truncated is true";
      check.fail(
        "DRC-TERM-05",
        limit,
        `${bytes} bytes, truncated ${cut.isCut}: ${JSON.stringify(cut.text.slice(0, 40))}`,
      );
    }
  },
};

/** A command that starts a child and writes both process ids to a file. */
function parentOf(file: string): string {
  const child = `require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })`;
  return `const child = ${child};
require("node:fs").writeFileSync(${JSON.stringify(file)}, process.pid + " " + child.pid);
process.stdout.write("running\\n"); setInterval(() => {}, 1000);`;
}

const ending: ClientCase = {
  ids: ["DRC-TERM-06", "DRC-TERM-07"],
  run: async (check) => {
    const played = await withTerminals(check, ending.ids, async (agent) => {
      const folder = await scratchOf(agent);
      const files = [join(folder, "killed.pids"), join(folder, "released.pids")];
      const [killed, released] = [
        await ClientTerminal.create(agent, parentOf(files[0] ?? "")),
        await ClientTerminal.create(agent, parentOf(files[1] ?? "")),
      ];
      const pids = [];
      for (const [index, terminal] of [killed, released].entries()) {
        while (!(await terminal.output()).text.includes("running")) await agent.barrier();
        pids.push((await readFile(files[index] ?? "", "utf8")).split(" ").map(Number));
      }
      const kill = await killed.call("kill");
      const exit = await settled(killed.call("wait_for_exit"));
      const after = await settled(killed.call("output"));
      const release = await released.call("release");
      const reuse = await settled(released.call("output"));
      await killed.call("release");
      return { pids, kill, exit, after, release, reuse };
    });
    if (!played?.seen) return;
    const { pids, exit, after, release, reuse } = played.seen;
    const [killedPids = [], releasedPids = []] = pids;
    const areKilled = await played.run.areGone(killedPids, check.limitMs);
    const text = stringField(resultOf(after ?? {}) ?? {}, "output") ?? "";
    if (!areKilled || !exit)
      check.fail("DRC-TERM-06", "kill ends the command and its children", "a process is left");
    else if (!text.includes("running")) {
      check.fail(
        "DRC-TERM-06",
        "after kill, the output can be read",
        after ? describeResponse(after) : "no answer",
      );
    } else check.pass("DRC-TERM-06", "the command and its child ended, and the output was there");
    const areReleased = await played.run.areGone(releasedPids, check.limitMs);
    if ("error" in release || !areReleased) {
      check.fail(
        "DRC-TERM-07",
        "release ends the command and its children",
        describeResponse(release),
      );
    } else if (!reuse || !("error" in reuse)) {
      check.fail(
        "DRC-TERM-07",
        "after release, the id is invalid",
        reuse ? describeResponse(reuse) : "no answer",
      );
    } else check.pass("DRC-TERM-07", "the command and its child ended, and the id was invalid");
  },
};

const BIG = 100 * 1024 * 1024;
const MOST_MEMORY_KB = 1024 * 1024;

const odd: ClientCase = {
  ids: ["DRC-TERM-08"],
  run: async (check) => {
    const id = "DRC-TERM-08";
    const played = await withTerminals(
      check,
      [id],
      async (agent) => {
        const { sessionId } = agent;
        const unknown = await agent.ask("terminal/create", {
          sessionId,
          command: "/no/such/command",
        });
        const terminal = new ClientTerminal(agent, unknown);
        // A client may only find out when the command has to start.
        const unknownExit =
          terminal.id === "" ? undefined : await settled(terminal.call("wait_for_exit"));
        const binary = await ClientTerminal.create(
          agent,
          "process.stdout.write(Buffer.from([0, 255, 254, 65, 10]))",
        );
        await binary.exit();
        const binaryOutput = await binary.output();
        const big = await ClientTerminal.create(
          agent,
          `const b = Buffer.alloc(1024 * 1024, 97); let n = ${BIG / 1024 / 1024};
const go = () => { while (n-- > 0) if (!process.stdout.write(b)) return process.stdout.once("drain", go); }; go();`,
          {
            outputByteLimit: 1000,
          },
        );
        await big.exit();
        const bigOutput = await big.output();
        const foreign = await settled(big.call("output", "unknown-session"));
        for (const one of [binary, big]) await one.call("release");
        return { unknown, unknownExit, binaryOutput, bigOutput, foreign };
      },
      { limitMs: 3 * check.limitMs },
    );
    if (!played?.seen) return;
    const { unknown, unknownExit, binaryOutput, bigOutput, foreign } = played.seen;
    const isTold =
      "error" in unknown ||
      (unknownExit !== undefined &&
        ("error" in unknownExit || resultOf(unknownExit)?.["exitCode"] !== 0));
    const memory = played.run.peakMemoryKb;
    if (!isTold) check.fail(id, "an unknown command is an error", describeResponse(unknown));
    else if (!binaryOutput.text.includes("A"))
      check.fail(id, "binary output does no harm", JSON.stringify(binaryOutput.raw));
    else if (bigOutput.text.length > 1000 || !bigOutput.isCut) {
      check.fail(
        id,
        "of 100 MB, the last 1000 bytes are kept",
        `${bigOutput.text.length} characters`,
      );
    } else if (memory > MOST_MEMORY_KB)
      check.fail(id, "memory stays bounded", `the client used ${memory} KB`);
    else if (!foreign || !("error" in foreign)) {
      check.fail(
        id,
        "a terminal of another session is refused",
        foreign ? describeResponse(foreign) : "no answer",
      );
    } else
      check.pass(
        id,
        `an unknown command, binary output, 100 MB and another session's id; at most ${memory} KB`,
      );
  },
};

const forgotten: ClientCase = {
  ids: ["DRC-TERM-09"],
  run: async (check) => {
    const id = "DRC-TERM-09";
    const played = await withTerminals(check, [id], async (agent) => {
      const file = join(await scratchOf(agent), "forgotten.pids");
      const terminal = await ClientTerminal.create(agent, parentOf(file));
      while (!(await terminal.output()).text.includes("running")) await agent.barrier();
      return (await readFile(file, "utf8")).split(" ").map(Number);
    });
    if (!played?.seen) return;
    if (await played.run.areGone(played.seen, check.limitMs)) {
      check.pass(id, "a terminal that was never released ended with the client");
    } else
      check.fail(
        id,
        "a terminal that is never released ends with the agent or the client",
        "its command is still running",
      );
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

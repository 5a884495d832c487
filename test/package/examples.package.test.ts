// The programs of examples/, compiled and run with the installed package, by the commands of the cookbook.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { aiLoads } from "../support/ai-sdk.ts";
import { modules, node, root, unpackTarball, type Packed } from "../support/package.ts";

const run = promisify(execFile);
const page = await readFile(join(root, "docs/cookbook.md"), "utf8");

/** What the page shows in blocks of a terminal: a command, and what it prints. */
const commands = [...page.matchAll(/^```console\n([^]*?)^```$/gm)].flatMap(([, block = ""]) =>
  block.split(/^\$ /m).flatMap((part) => {
    const [command = "", ...output] = part.split("\n");
    return command === "" ? [] : [{ command, output: output.join("\n") }];
  }),
);

/** An agent that reviews every diff in the same way. */
const REVIEWER = `
import { serveAgent, stdioChannel } from "dragoman/agent";
const findings = [
  { file: "src/sum.ts", line: 3, severity: "error", problem: "i <= list.length should be i < list.length" },
  { file: "src/sum.ts", line: 1, severity: "note", problem: "the parameter list can be readonly" },
];
await serveAgent(stdioChannel(), {
  info: { name: "reviewer", version: "1.0.0" },
  newSession: () => ({}),
  prompt: (turn) => turn.say(JSON.stringify(
    turn.text.includes("+  for (") ? { summary: "The loop reads one element too many.", findings } : {},
  )),
});`;

/** An agent that waits in each turn, and interrupts its client when eight turns run. */
const WAITING = `
import { once } from "node:events";
import { serveAgent, stdioChannel } from "dragoman/agent";
let turns = 0;
await serveAgent(stdioChannel(), {
  info: { name: "waiting", version: "1.0.0" },
  newSession: () => ({}),
  prompt: async ({ signal }) => {
    if (++turns === 8) process.kill(process.ppid, "SIGINT");
    if (!signal.aborted) await once(signal, "abort");
    return "cancelled";
  },
});`;

const DIFF = "+  for (let i = 0; i <= list.length; i++) sum += list[i];\n";
const PROMPTS = /^\{ "write".*\}$/m.exec(page)?.[0] ?? "";

let packed: Packed;
let bin: string;
let env: NodeJS.ProcessEnv;
const started: ChildProcess[] = [];

beforeAll(async () => {
  packed = await unpackTarball();
  const { consumer, home } = packed;
  const installed = join(consumer, "node_modules");
  bin = join(installed, ".bin");
  for (const folder of [bin, join(installed, "@ai-sdk"), join(installed, "@agentclientprotocol")]) {
    await mkdir(folder, { recursive: true });
  }
  for (const name of ["ai", "zod", "@ai-sdk/provider", "@agentclientprotocol/sdk", "@types"]) {
    await symlink(join(modules, name), join(installed, name), "dir");
  }
  const dragoman = join(home, "dist/bin/dragoman.js");
  await chmod(dragoman, 0o755);
  await symlink(dragoman, join(bin, "dragoman"));
  await symlink(join(modules, "esbuild/bin/esbuild"), join(bin, "esbuild"));
  const reviewer = join(consumer, "reviewer.js");
  await writeFile(reviewer, REVIEWER);
  await writeFile(join(bin, "gemini"), `#!/bin/sh\nexec "${process.execPath}" "${reviewer}"\n`);
  await chmod(join(bin, "gemini"), 0o755);
  await writeFile(join(consumer, "README.md"), "# Herons\n\nCounts herons.\n");
  await writeFile(join(consumer, "change.diff"), DIFF);
  await writeFile(join(consumer, "prompts.json"), `${PROMPTS}\n`);

  const files = (await readdir(join(home, "examples"))).filter((file) => file.includes("."));
  for (const file of files) await copyFile(join(home, "examples", file), join(consumer, file));
  await build({
    entryPoints: files.filter((file) => file.endsWith(".ts")).map((file) => join(consumer, file)),
    outdir: consumer,
    format: "esm",
    target: "node20.19",
    logLevel: "silent",
  });
  env = {
    ...process.env,
    HOME: packed.scratch,
    PATH: [bin, dirname(process.execPath), process.env["PATH"]].join(delimiter),
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
  };
});

afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode === null && child.kill()) await once(child, "exit");
  }
});
afterAll(() => packed.remove());

it("compile with the types of the package", async () => {
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2023", "ESNext.Disposable"],
    module: "NodeNext",
    strict: true,
    noEmit: true,
    types: ["node"],
    // The types of the AI SDK do not pass on their own.
    skipLibCheck: true,
  };
  const config = join(packed.consumer, "tsconfig.json");
  await writeFile(config, JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const result = await node([join(modules, "typescript/bin/tsc"), "-p", config], packed.consumer);
  expect(result).toEqual({ code: 0, output: "" });
});

describe("the cookbook", () => {
  it.each(commands.filter(({ command }) => !command.includes("dragoman check")))(
    "$command prints what the page says",
    async ({ command, output }) => {
      const line = command.replace(/\.ts\b/, ".js");
      // A reviewer exits with 1 if there are errors.
      const { stdout } = await run("sh", ["-c", line], { cwd: packed.consumer, env }).catch(
        (error: { stdout: string }) => error,
      );
      expect(stdout).toBe(output);
    },
  );

  it("has a bot that cancels its turns and ends its agent on Ctrl-C", async () => {
    await writeFile(join(packed.consumer, "waiting.js"), WAITING);
    const { stdout } = await run(
      process.execPath,
      ["chat-bot.js", process.execPath, "waiting.js"],
      {
        cwd: packed.consumer,
        env,
      },
    );
    expect(stdout).toBe("8 answers in 8 sessions\n");
  });

  it("has a reviewer that exits with the result of the review", async () => {
    const review = (agent: string) =>
      run("sh", ["-c", `node code-review.js ${agent} < change.diff`], {
        cwd: packed.consumer,
        env,
      });
    await expect(review("gemini")).rejects.toMatchObject({ code: 1 });
    await expect(review("")).rejects.toMatchObject({
      code: 2,
      stdout: "The agent did not answer with a review.\n",
    });
  });

  it.each(["1", "2"])(
    "has an agent that passes the check for version %s",
    { timeout: 120_000 },
    async (version) => {
      const report = join(packed.consumer, `report-${version}.json`);
      await run(
        join(bin, "dragoman"),
        ["check", "--protocol", version, "--level", "warn", "--prompts", "prompts.json"].concat([
          "--json",
          report,
          "--",
          process.execPath,
          "agent.js",
        ]),
        { cwd: packed.consumer, env },
      );
      const { summary } = JSON.parse(await readFile(report, "utf8")) as { summary: object };
      expect(summary).toMatchObject({ failed: 0 });
    },
  );

  describe.skipIf(!aiLoads /* `ai` 7 needs Node 22 */)("has a web endpoint that", () => {
    /** Starts it. Resolves with its address. */
    async function serve(...agent: readonly string[]): Promise<string> {
      const child = spawn(process.execPath, ["web-endpoint.js", ...agent], {
        cwd: packed.consumer,
        env,
        stdio: ["ignore", "pipe", "ignore"],
      });
      started.push(child);
      const [address] = (await once(createInterface(child.stdout), "line")) as [string];
      return address;
    }

    async function ask(
      address: string,
      body: string,
      type = "application/json",
    ): Promise<Response> {
      const headers = { "content-type": type };
      return await fetch(`${address}ask`, { method: "POST", headers, body });
    }

    it("streams an answer, and serves a page", async () => {
      const address = await serve();
      expect(await (await fetch(address)).text()).toContain("<form>");
      const answer = await ask(address, JSON.stringify({ prompt: "/title A fine day" }));
      expect(await answer.text()).toContain("The session is now called");
    });

    it.each([
      ["/crash", "The agent is not available."],
      ["/error", "Something failed."],
    ])("says nothing about the cause of an error: %s", async (prompt, said) => {
      const text = await (await ask(await serve(), JSON.stringify({ prompt }))).text();
      expect(text).toContain(said);
      expect(text).not.toContain("as requested");
    });

    it("survives bodies that are no question, and refuses types that any page can send", async () => {
      const address = await serve();
      for (const body of ["", "{", "[]", '{"prompt":1}']) {
        expect((await ask(address, body)).status).toBe(400);
      }
      expect((await ask(address, '{"prompt":"/help"}', "text/plain")).status).toBe(400);
      expect((await fetch(address)).status).toBe(200);
    });
  });
});

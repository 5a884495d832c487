import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { AcpClient } from "../../../src/entries/dragoman.ts";
import type { CommandLine } from "../../../src/base/index.ts";
import { createDroidHome, type DroidHome } from "../../support/droid/home.ts";
import { droidAcp, exited, spawnDroidAcp } from "./bin.ts";
import { isJson } from "./judge.ts";
import { errorOf } from "./reading.ts";
import { later, describeScenarios } from "./rig.ts";
import { LONG } from "../../support/droid/describe.ts";

describeScenarios("without a login, droid-acp", ({ start }) => {
  test("answers a prompt to a model of Factory with -32000 and how to sign in", async () => {
    const { client, home, initialized } = await start({
      // Without own-key models, Droid uses its default model.
      home: { settings: { customModels: [] } },
      adapter: { model: undefined },
      capabilities: { auth: { terminal: true } },
    });
    const methods = Array.isArray(initialized["authMethods"]) ? initialized["authMethods"] : [];
    expect(methods.filter(isJson)).toMatchObject([
      { id: "factory-api-key", description: expect.stringContaining("FACTORY_API_KEY") },
      { id: "droid-login", type: "terminal", args: ["--login"] },
    ]);
    const session = await client.newSession(home.workspace);
    const { code, message } = await errorOf(client.prompt(session, "hello"));
    expect(code).toBe(-32000);
    expect(message).toContain("FACTORY_API_KEY");
    const denied = await errorOf(client.authenticate("factory-api-key"));
    expect(denied.code).toBe(-32000);
    for (const missing of ["FACTORY_API_KEY", "login", "customModels"]) {
      expect(denied.message).toContain(missing);
    }
  });

  test("lets a client with an own-key model sign in first, as CodeCompanion does", async () => {
    const { client, home } = await start();
    await client.authenticate("factory-api-key");
    const session = await client.newSession(home.workspace);
    expect(await client.prompt(session, "hello")).toBe("end_turn");
  });
});

/** Writes a fake Droid that records its arguments and its input, and exits with this code. */
async function fakeDroid(home: DroidHome, exitCode: number): Promise<string> {
  const path = `${home.home}/droid`;
  const script = `#!/bin/sh\nread word\necho "started with $# arguments, input $word" >> ${home.home}/login.txt\nexit ${exitCode}\n`;
  await writeFile(path, script, { mode: 0o755 });
  return path;
}

async function scratch(): Promise<DroidHome> {
  const home = await createDroidHome({ modelUrl: "http://127.0.0.1:9" });
  later(() => home.remove());
  return home;
}

describe("droid-acp --login", { timeout: LONG }, () => {
  test("opens Droid in its own terminal, without arguments, and exits with the exit code of Droid", async () => {
    const home = await scratch();
    for (const code of [0, 3]) {
      const child = await spawnDroidAcp(home, ["--login", "--droid", await fakeDroid(home, code)]);
      child.stdin?.end("/login\n");
      expect(await exited(child)).toBe(code);
      expect(child.err()).toContain("Type /login");
      expect(child.out()).toBe("");
    }
    const line = "started with 0 arguments, input /login\n";
    expect(await readFile(`${home.home}/login.txt`, "utf8")).toBe(line.repeat(2));
    const missing = await spawnDroidAcp(home, ["--login", "--droid", "/nowhere/droid"]);
    expect(await exited(missing)).toBe(1);
    expect(missing.err()).toContain("/nowhere/droid");
  });

  test("is the command that a client runs for a terminal login", async () => {
    const home = await scratch();
    const droid = await fakeDroid(home, 0);
    const ran: (readonly string[])[] = [];
    const client = await AcpClient.start({
      command: process.execPath,
      args: [await droidAcp(), "--droid", droid],
      env: home.env,
      cwd: home.home,
      terminalLogin: async ({ args = [] }: CommandLine) => {
        ran.push(args.slice(1));
        const child = await spawnDroidAcp(home, args.slice(1));
        child.stdin?.end("/login\n");
        return { code: Number(await exited(child)), signal: null };
      },
    });
    later(() => client.close());
    const again = await client.terminalLogin("droid-login");
    later(() => again.close());
    expect(ran).toEqual([["--droid", droid, "--login"]]);
    expect(await readFile(`${home.home}/login.txt`, "utf8")).toContain("input /login");
    expect(again.agent.info?.name).toBe("droid-acp");
  });

  test("is not offered to a client that cannot run it, and a key in the environment is enough", async () => {
    const home = await scratch();
    const client = await AcpClient.start({
      command: process.execPath,
      args: [await droidAcp(), "--droid", await fakeDroid(home, 0)],
      env: { ...home.env, FACTORY_API_KEY: "not-needed" },
      cwd: home.home,
    });
    later(() => client.close());
    expect(client.agent.authMethods.map(({ id }) => id)).toEqual(["factory-api-key"]);
    await client.authenticate("factory-api-key");
  });
});

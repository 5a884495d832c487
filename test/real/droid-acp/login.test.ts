import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { AcpClient, type CommandLine } from "../../../src/entries/dragoman.ts";
import { createDroidHome, type DroidHome } from "../../support/droid/home.ts";
import { droidUnavailable } from "../../support/droid/install.ts";
import { droidAcp, exited, spawnDroidAcp } from "./bin.ts";
import { isJson } from "./judge.ts";
import { refusal } from "./reading.ts";
import { CRASH, later, rig, scenarios } from "./rig.ts";

const LONG = 120_000;

describe.skipIf(droidUnavailable() !== undefined).each(scenarios())(
  "without a login, droid-acp on $version with $driver",
  { timeout: LONG, retry: CRASH },
  ({ version, driver }) => {
    test("answers a prompt to a model of Factory's with -32000, and says how to sign in", async () => {
      const { client, home, initialized } = await rig({
        version,
        driver,
        // No model with a key of one's own, so Droid's default is all there is.
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
      const { code, message } = await refusal(client.prompt(session, "hello"));
      expect(code).toBe(-32000);
      expect(message).toContain("FACTORY_API_KEY");
      expect(await refusal(client.authenticate("factory-api-key"))).toMatchObject({ code: -32000 });
    });
  },
);

/** A program in Droid's place that leaves a word behind, and ends with this code. */
async function stand(home: DroidHome, exitCode: number): Promise<string> {
  const path = `${home.home}/droid`;
  const script = `#!/bin/sh\nread word\necho "started with $# arguments, told $word" >> ${home.home}/login.txt\nexit ${exitCode}\n`;
  await writeFile(path, script, { mode: 0o755 });
  return path;
}

async function scratch(): Promise<DroidHome> {
  const home = await createDroidHome({ modelUrl: "http://127.0.0.1:9" });
  later(() => home.remove());
  return home;
}

describe("droid-acp --login", { timeout: LONG }, () => {
  test("opens Droid in its own terminal, without arguments, and ends as Droid ends", async () => {
    const home = await scratch();
    for (const code of [0, 3]) {
      const child = await spawnDroidAcp(home, ["--login", "--droid", await stand(home, code)]);
      child.stdin?.end("/login\n");
      expect(await exited(child)).toBe(code);
      expect(child.err()).toContain("Type /login");
      expect(child.out()).toBe("");
    }
    const line = "started with 0 arguments, told /login\n";
    expect(await readFile(`${home.home}/login.txt`, "utf8")).toBe(line.repeat(2));
    const missing = await spawnDroidAcp(home, ["--login", "--droid", "/nowhere/droid"]);
    expect(await exited(missing)).toBe(1);
    expect(missing.err()).toContain("/nowhere/droid");
  });

  test("is the command of the terminal login that a client finds and runs", async () => {
    const home = await scratch();
    const droid = await stand(home, 0);
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
    expect(await readFile(`${home.home}/login.txt`, "utf8")).toContain("told /login");
    expect(again.agent.info?.name).toBe("droid-acp");
  });

  test("is not offered to a client that cannot run it; a key in the environment is enough", async () => {
    const home = await scratch();
    const client = await AcpClient.start({
      command: process.execPath,
      args: [await droidAcp(), "--droid", await stand(home, 0)],
      env: { ...home.env, FACTORY_API_KEY: "not-needed" },
      cwd: home.home,
    });
    later(() => client.close());
    expect(client.agent.authMethods.map(({ id }) => id)).toEqual(["factory-api-key"]);
    await client.authenticate("factory-api-key");
  });
});

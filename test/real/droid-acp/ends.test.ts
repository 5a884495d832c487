import { readFile, readdir, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { createDroidHome, type DroidHome } from "../../support/droid/home.ts";
import { droidUnavailable, ensureDroid, newestDroid } from "../../support/droid/install.ts";
import { droidsWithHome, processesWithHome } from "../../support/droid/leftovers.ts";
import {
  hang,
  ModelServer,
  text,
  toolCall,
  type ScriptEntry,
} from "../../../src/conformance/scripted-model/index.ts";
import { exited, spawnDroidAcp } from "./bin.ts";
import { FrameJudge, isJson, type Json } from "./judge.ts";
import { errorOf, toolCalls } from "./reading.ts";
import { CRASH, LONG } from "../../support/droid/describe.ts";
import { describeScenarios, later, servedDroids } from "./rig.ts";

/** The promise is two seconds; the rest is for a busy machine. Droid itself takes six. */
const END_MS = 3000;
const WAYS = ["stdin closed", "SIGTERM", "SIGINT"] as const;
const sleeping = {
  summary: "Sleep",
  command: "echo on; sleep 33",
  timeout: 60,
  riskLevel: "low",
  riskLevelReason: "x",
};

describeScenarios("when Droid dies", ({ open }) => {
  test("the turn fails at once with the reason, no tool call stays open, and the next prompt continues", async () => {
    const pause = hang();
    const { client, home, model, session } = await open({
      adapter: { mode: "high" },
      script: [text("first"), toolCall("Execute", sleeping)],
    });
    await client.prompt(session, "remember GNU");
    const from = client.updates.length;
    const running = errorOf(client.prompt(session, "run"));
    await client.until(() =>
      client.updates.slice(from).some((one) => one["status"] === "in_progress"),
    );
    for (const pid of await droidsWithHome(home.home)) process.kill(pid, "SIGKILL");
    const { code, message, data } = await running;
    expect(code).toBe(-32603);
    expect(message).toContain("SIGKILL");
    expect(data).toMatchObject({ reason: "droid_exited", signal: "SIGKILL" });
    expect([...toolCalls(client, from).values()].map((call) => call["status"])).toEqual(["failed"]);

    model.push([text("back", { chunks: 2 }), pause, text(" again")]);
    const next = client.updates.length;
    const going = errorOf(client.prompt(session, "which animal?"));
    await pause.arrived;
    await client.until(() => client.ofKind("agent_message_chunk", next).length > 0);
    expect(JSON.stringify(model.calls.at(-1)?.body["messages"])).toContain("GNU");
    for (const pid of await droidsWithHome(home.home)) process.kill(pid, "SIGKILL");
    expect((await going).code).toBe(-32603);
    pause.release();
    model.push(text("here"));
    expect(await client.prompt(session, "once more")).toBe("end_turn");
  });
});

/** Starts droid-acp and talks to it in raw lines, as an editor. */
async function started(home: DroidHome, args: readonly string[]) {
  const child = await spawnDroidAcp(home, args);
  later(async () => void child.kill("SIGKILL"));
  const judge = new FrameJudge();
  const frames: Json[] = [];
  let wake: () => void = () => {};
  if (!child.stdout || !child.stdin) throw new Error("no pipes");
  const { stdin } = child;
  createInterface({ input: child.stdout }).on("line", (line) => {
    judge.saw("agent", line);
    frames.push(JSON.parse(line) as Json);
    wake();
  });
  const until = async (test: (frame: Json) => boolean): Promise<Json> => {
    for (;;) {
      const found = frames.find(test);
      if (found) return found;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const send = (line: string): void => {
    if (line.startsWith("{")) judge.saw("client", line);
    stdin.write(`${line}\n`);
  };
  const post = (id: number, method: string, params: Json): void =>
    send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  const call = async (id: number, method: string, params: Json): Promise<Json> => {
    post(id, method, params);
    const { result, error } = await until((frame) => frame["id"] === id && !("method" in frame));
    return isJson(result) ? result : { error };
  };
  return { child, judge, until, send, post, call };
}

async function prepared(script: readonly ScriptEntry[] = [], version = newestDroid) {
  const executable = await ensureDroid(version);
  const model = await ModelServer.start(script);
  later(() => model.close());
  const home = await createDroidHome({ modelUrl: model.url });
  later(() => home.remove());
  return {
    executable,
    model,
    home,
    args: ["--droid", executable, "--model", home.modelId, "--mode", "high"],
  };
}

describe.skipIf(droidUnavailable() !== undefined)(
  "the program droid-acp",
  { timeout: LONG },
  () => {
    test.each(servedDroids().flatMap((version) => WAYS.map((how) => ({ version, how }))))(
      "leaves no process of Droid $version behind two seconds after $how, with a session in a tool call, an idle one and a process started ahead",
      { retry: CRASH },
      async ({ version, how }) => {
        const { home, args } = await prepared([toolCall("Execute", sleeping)], version);
        const { child, call, post, until, judge } = await started(home, args);
        await call(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
        // The process that was started ahead is in another folder, so the sessions do not use it.
        const { sessionId } = await call(2, "session/new", { cwd: home.home, mcpServers: [] });
        await call(3, "session/new", { cwd: home.home, mcpServers: [] });
        post(4, "session/prompt", { sessionId, prompt: [{ type: "text", text: "sleep" }] });
        await until((frame) => JSON.stringify(frame).includes('"in_progress"'));
        expect((await droidsWithHome(home.home)).length).toBeGreaterThanOrEqual(3);
        const startedAt = performance.now();
        if (how === "stdin closed") child.stdin?.end();
        else child.kill(how);
        expect(await exited(child)).toBe(0);
        const took = performance.now() - startedAt;
        expect(await processesWithHome(home.home)).toEqual([]);
        expect(took).toBeLessThan(END_MS);
        judge.verify();
      },
    );

    test("answers garbage and unknown methods, writes only the protocol to stdout, and logs no secrets", async () => {
      const { home, args } = await prepared([text("hello")]);
      const log = `${home.home}/acp.log`;
      const { call, send, until, child } = await started(home, [...args, "--log", log]);
      send("no json");
      await until((frame) => isJson(frame["error"]) && frame["error"]["code"] === -32700);
      expect(await call(1, "session/new", {})).toMatchObject({ error: { code: -32600 } });
      await call(2, "initialize", { protocolVersion: 99, clientCapabilities: {} }).then((result) =>
        expect(result["protocolVersion"]).toBe(1),
      );
      expect(await call(3, "no/such", {})).toMatchObject({ error: { code: -32601 } });
      const server = {
        name: "m",
        command: "/nowhere",
        args: [],
        env: [{ name: "K", value: "hush-hush" }],
      };
      const { sessionId } = await call(4, "session/new", {
        cwd: home.workspace,
        mcpServers: [server],
      });
      const prompt = [{ type: "text", text: "hi" }];
      expect(await call(5, "session/prompt", { sessionId, prompt })).toMatchObject({
        stopReason: "end_turn",
      });
      child.stdin?.end();
      expect(await exited(child)).toBe(0);
      const written = await readFile(log, "utf8");
      expect(written).toContain("session/prompt");
      expect(written).not.toContain("hush-hush");
    });

    test("the doctor reports what works, and what to do about what does not", async () => {
      const { home, executable, args } = await prepared();
      const good = await spawnDroidAcp(home, ["--doctor", ...args]);
      expect(await exited(good)).toBe(0);
      expect(good.out()).toMatch(
        /version: 0\.225\.2[^]*handshake[^]*your own API key[^]*should work\./,
      );
      const left = await readdir(`${home.home}/.factory/sessions`, { recursive: true }).catch(
        () => [],
      );
      expect(left.filter((name) => name.endsWith(".jsonl"))).toEqual([]);

      const noLogin = await spawnDroidAcp(home, ["--doctor", "--droid", executable]);
      expect(await exited(noLogin)).toBe(1);
      expect(noLogin.out()).toContain("needs a Factory login");
      expect(noLogin.out()).toContain("--model custom:");

      const wrongModel = await spawnDroidAcp(home, [
        "--doctor",
        "--droid",
        executable,
        "--model",
        "no-such",
      ]);
      expect(await exited(wrongModel)).toBe(1);

      const missing = await spawnDroidAcp(home, ["--doctor", "--droid", "/nowhere/droid"]);
      expect(await exited(missing)).toBe(1);
      expect(missing.out()).toMatch(/no executable file at \/nowhere\/droid[^]*Install Droid/);

      await writeFile(`${home.home}/fake`, "#!/bin/sh\nexit 3\n", { mode: 0o755 });
      const fake = await spawnDroidAcp(home, ["--doctor", "--droid", `${home.home}/fake`]);
      expect(await exited(fake)).toBe(1);
      expect(fake.out()).toContain("FAIL  handshake");
    });

    test("prints its usage, and rejects unknown options", async () => {
      const { home } = await prepared();
      const help = await spawnDroidAcp(home, ["--help"]);
      expect(await exited(help)).toBe(0);
      expect(help.out()).toContain("--idle-minutes");
      const wrong = await spawnDroidAcp(home, ["--bogus"]);
      expect(await exited(wrong)).toBe(2);
      expect(wrong.out()).toBe("");
    });
  },
);

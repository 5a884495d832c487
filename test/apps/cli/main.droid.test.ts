// The command line with the real Droid behind the adapter, and a scripted model behind Droid.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDroidHome, type DroidHome } from "../../support/droid/home.ts";
import { droidUnavailable, ensureDroid, newestDroid } from "../../support/droid/install.ts";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import {
  hang,
  ModelServer,
  text,
  toolCall,
} from "../../../src/conformance/scripted-model/index.ts";
import { buildBin, type BuiltBin } from "./support/bin.ts";
import { start } from "./support/run.ts";
import { expectRefused } from "./commands/setup.ts";

const LONG = 100_000;

/** Droid's id for the only model in its settings. */
const MODEL = "custom:Mock-0";

describe.skipIf(droidUnavailable() !== undefined)("dragoman -a droid", { timeout: LONG }, () => {
  let adapter: BuiltBin;
  let executable: string;
  let model: ModelServer;
  let home: DroidHome;
  beforeAll(async () => {
    [adapter, executable] = await Promise.all([buildBin("droid-acp"), ensureDroid(newestDroid)]);
  }, LONG);
  afterAll(() => adapter.remove());
  beforeEach(async () => {
    model = await ModelServer.start();
    home = await createDroidHome({ modelUrl: model.url });
  });
  afterEach(async () => {
    await model.close();
    await home.remove();
  });

  const dragoman = (...argv: string[]) =>
    start(argv, {
      home: home.home,
      cwd: home.workspace,
      env: { ...home.env, DROID_EXECUTABLE: executable },
      droidAcp: adapter.file,
    });
  const run = (...argv: string[]) => dragoman("-a", "droid", "--model", MODEL, ...argv);
  const shell = (command: string) =>
    toolCall("Execute", {
      summary: "Run",
      command,
      timeout: 60,
      riskLevel: "medium",
      riskLevelReason: "x",
    });

  it("prints the answer", async () => {
    model.push(text("The answer is forty-two."));
    const { code, out, err } = await run("What is the answer?").ended;
    expect({ code, out }, err).toEqual({ code: 0, out: "The answer is forty-two." });
    expect(await processesWithHome(home.home)).toEqual([]);
  });

  it("denies a command, and names the flag that would allow it", async () => {
    model.push(shell("echo hi > out.txt"), text("I could not."));
    const { out, err } = await run("Write it").ended;
    expect(err).toContain("--exec would allow it");
    expect(out).not.toContain("hi");
    await expect(readFile(join(home.workspace, "out.txt"))).rejects.toThrow("ENOENT");
  });

  it("runs a command with --exec", async () => {
    model.push(shell("echo hi > out.txt"), text("Done."));
    const { code, out, err } = await run("--exec", "Write it").ended;
    expect({ code, out }, err).toEqual({ code: 0, out: "Done." });
    expect(await readFile(join(home.workspace, "out.txt"), "utf8")).toBe("hi\n");
  });

  it("answers with a schema, in a session with a name, and stops at a budget", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const file = join(home.home, "schema.json");
    await writeFile(file, JSON.stringify(schema));
    // The second answer is a correction of the first.
    model.push(text('{"n": "forty-two"}'), text('{"n": 42}'));
    const instructions = ["--system-prompt", "Talk like a pirate.", "--session", "mine"];
    const first = await run(...instructions, "--schema", file, "What is the answer?").ended;
    expect({ code: first.code, out: first.out }, first.err).toEqual({ code: 0, out: '{"n":42}\n' });
    expect(JSON.stringify(model.calls)).toContain("Talk like a pirate.");

    model.push(text("Short."));
    const second = await run("--session", "mine", "-o", "result", "--max-tokens", "1", "Go on")
      .ended;
    const { exitCode, sessionId, error } = JSON.parse(second.out) as Record<string, unknown>;
    expect({ exitCode, error }).toMatchObject({
      exitCode: 12,
      error: { message: expect.stringMatching(/used \d+ tokens, more than --max-tokens 1/) },
    });

    model.push(shell("echo 1"), shell("echo 2"), text("Done."));
    const prefix = String(sessionId).slice(0, 8);
    const third = await run("--resume", prefix, "--exec", "--max-tool-calls", "1", "Count").ended;
    expect(third.code, third.err).toBe(12);
    expect(third.last).toContain("made 2 tool calls, more than --max-tool-calls 1");

    const deleted = await dragoman("sessions", "delete", prefix, "-a", "droid").ended;
    expect(deleted).toMatchObject({ code: 0, last: `deleted ${String(sessionId)}` });
    expect((await dragoman("sessions", "delete", prefix, "-a", "droid").ended).code).toBe(4);
    expect(await processesWithHome(home.home)).toEqual([]);
  });

  it("lists its models, and says that it supports no more folders", async () => {
    expect((await run("--list-models").ended).out).toMatch(/^\* custom:Mock-0 /m);
    await expectRefused(
      run("--add-dir", home.workspace, "Hello").ended,
      "droid does not support --add-dir",
    );
  });

  it("leaves no process behind when it is interrupted", async () => {
    const stop = hang();
    model.push([text("Once upon a time"), stop, text(" there was nobody.")]);
    const { io, ended } = run("Tell a story");
    await stop.arrived;
    io.signal("SIGINT");
    expect((await ended).code).toBe(130);
    expect(await processesWithHome(home.home)).toEqual([]);
  });

  it("passes the doctor if its model has the user's own API key", async () => {
    const { code, out, err } = await dragoman("doctor", "droid", "--model", MODEL).ended;
    expect({ code, err }, out).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^ok {3}handshake .*Droid answers/m);
    expect(out).toMatch(/^ok {3}access .*custom:Mock-0 works with your own API key$/m);
    expect(out).toMatch(/droid works\n$/);
    expect(await processesWithHome(home.home)).toEqual([]);
  });

  it("fails the doctor without a login or a chosen model", async () => {
    const { code, out, last } = await dragoman("doctor", "droid").ended;
    expect(code, out).toBe(6);
    expect(out).toMatch(/^FAIL access .*needs a Factory login, and none was found$/m);
    expect(last).toMatch(
      /needs a Factory login, and none was found; try: run `droid-acp --login`, set FACTORY_API_KEY, or start with --model custom:Mock-0$/,
    );
  });

  it("is reported as missing by the doctor if it is not installed", async () => {
    const io = { home: home.home, cwd: home.workspace, droidAcp: adapter.file };
    const env = { ...home.env, DROID_EXECUTABLE: "/nowhere/droid" };
    await expectRefused(start(["doctor", "droid"], { ...io, env }).ended, "DROID_EXECUTABLE", 7);
  });
});

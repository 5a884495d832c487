// The command line with real Droid behind our adapter, and a scripted model behind Droid.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDroidHome, type DroidHome } from "../support/droid/home.ts";
import { droidUnavailable, ensureDroid, newestDroid } from "../support/droid/install.ts";
import { processesWithHome } from "../support/droid/leftovers.ts";
import { hang, ModelServer, text, toolCall } from "../support/model/index.ts";
import { buildBin, type BuiltBin } from "./support/bin.ts";
import { start } from "./support/run.ts";

const LONG = 100_000;

/** What Droid makes of the one model in its settings. */
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

  const run = (...argv: string[]) =>
    start(["-a", "droid", "--model", MODEL, ...argv], {
      home: home.home,
      cwd: home.workspace,
      env: { ...home.env, DROID_EXECUTABLE: executable },
      droidAcp: adapter.file,
    });
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

  it("refuses a command, and says which flag would allow it", async () => {
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

  it("is interrupted, and leaves nothing running", async () => {
    const stop = hang();
    model.push([text("Once upon a time"), stop, text(" there was nobody.")]);
    const { io, ended } = run("Tell a story");
    await stop.arrived;
    io.signal("SIGINT");
    expect((await ended).code).toBe(130);
    expect(await processesWithHome(home.home)).toEqual([]);
  });
});

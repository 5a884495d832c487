// The package in a real browser, against the demo agent over WebSocket.
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ServeProcess, startServe } from "../apps/cli/serve/process.ts";
import { buildBin, type BuiltBin } from "../apps/cli/support/bin.ts";
import { type Scratch, scratch } from "../apps/cli/support/run.ts";
import { cleanUp } from "../transport/remote/rig.ts";
import { unpackTarball } from "../support/package.ts";
import { useTempFolder } from "../support/temp-folder.ts";
import { Chromium } from "./chromium.ts";
import { type PageServer, servePage } from "./server.ts";

let server: PageServer;
const chromium = new Chromium();
const { faults } = chromium;
let page: Page;
/** The session's folder. The agent checks that it exists on its own disk. */
let cwd = "";
useTempFolder((path) => (cwd = path));

beforeAll(async () => {
  const packed = await unpackTarball();
  try {
    const names = ["page", "worker"];
    const entryPoints = names.map((name) => join(packed.consumer, `${name}.js`));
    await Promise.all(
      names.map((name, index) =>
        copyFile(new URL(`${name}.mjs`, import.meta.url), entryPoints[index] ?? ""),
      ),
    );
    const options = { bundle: true, platform: "browser", format: "esm", write: false } as const;
    const { outputFiles } = await build({ entryPoints, outdir: "/", ...options });
    server = await servePage(new Map(outputFiles.map(({ path, text }) => [path, text])));
  } finally {
    await packed.remove();
  }
  await writeFile(join(cwd, "README.md"), "# Lighthouse\n\nA lamp for ships.\n");
});

afterAll(() => server?.close());

beforeEach(async () => {
  page = await chromium.newPage();
  await page.goto(server.page);
  await page.waitForFunction("globalThis.scenarios !== undefined");
});

/** Calls a scenario in the page. */
function run(name: string, ...args: readonly string[]): Promise<unknown> {
  return page.evaluate(`scenarios[${JSON.stringify(name)}](...${JSON.stringify(args)})`);
}

describe("a page", () => {
  it("runs a turn, update by update", async () => {
    await run("put", join(cwd, "README.md"), "# Lighthouse\n\nA lamp for ships.\n");
    const turn = await run("turn", cwd, "what does this project do?");
    expect(turn).toMatchObject({ agent: "dragoman-demo", stopReason: "end_turn" });
    expect(turn).toMatchObject({ text: expect.stringContaining("A lamp for ships.") });
    expect(turn).toMatchObject({
      types: expect.arrayContaining(["plan", "tool_call", "agent_message_chunk"]),
    });
  });

  it("lets the agent read a file that exists only in the page", async () => {
    await run("put", join(cwd, "notes.md"), "one\ntwo\n");
    expect(await run("turn", cwd, "/read notes.md")).toMatchObject({
      text: "notes.md has 3 lines and 8 characters.",
    });
    expect(await run("turn", cwd, "/read missing.md")).toMatchObject({
      text: expect.stringContaining("I could not read missing.md: "),
    });
  });

  it("puts a permission request to the person in front of it", async () => {
    const path = join(cwd, "notes.md");
    await run("put", path, "one\n");
    const denied = run("turn", cwd, "/edit notes.md two");
    await page.click("#question button:text('deny')");
    expect(await denied).toMatchObject({
      text: expect.stringContaining("left the file unchanged"),
    });
    expect(await run("get", path)).toBe("one\n");

    const allowed = run("turn", cwd, "/edit notes.md two");
    await page.click("#question button:text('allow')");
    expect(await allowed).toMatchObject({ stopReason: "end_turn" });
    expect(await run("get", path)).toBe("one\ntwo\n");
  });

  it("cancels a turn, and can start the next one", async () => {
    expect(await run("cancel", cwd)).toEqual({
      stopReason: "cancelled",
      text: expect.any(String),
    });
  });

  it("learns with a ConnectionError that the connection was dropped", async () => {
    await page.exposeFunction("isHanging", () => server.drop());
    expect(await run("lose", cwd)).toEqual({
      isConnectionError: true,
      message: expect.stringContaining("1006"),
      kind: "failed",
      sessions: 0,
    });
  });

  it("runs a turn with an agent in a worker", async () => {
    await run("put", "/page/notes.md", "hello");
    expect(await run("worker")).toEqual({ text: "HELLO", left: "ended" });
  });

  it("advertises no files unless it has some", async () => {
    expect(await run("advertised", cwd)).toContain('"readTextFile": false');
    expect(await run("turn", cwd, "/client")).toMatchObject({
      text: expect.stringContaining('"readTextFile": true'),
    });
  });

  it("of another origin cannot reach the agent", async () => {
    await page.goto(server.stranger);
    await page.waitForFunction("globalThis.scenarios !== undefined");
    const result = await run("failedStart");
    expect(result).toEqual({
      name: "StartError",
      cause: "ConnectionError",
      message: expect.stringContaining("1008"),
    });
  });

  it.each(["ws:", "http:"])("reaches an agent at a %s address, with a token", async (scheme) => {
    const text = await run("remote", scheme, server.token, cwd, "/client");
    expect(text).toContain('"readTextFile": false');
    expect(text).toContain('"terminal": false');
    const many = await run("remote", scheme, server.token, cwd, "/think");
    expect(many).not.toBe("");
  });

  it.each(["ws:", "http:"])("is refused at a %s address without the token", async (scheme) => {
    await expect(run("remote", scheme, "wrong", cwd, "/client")).rejects.toThrow("StartError");
    // Browsers report refused connections on the console.
    faults.splice(0);
  });

  describe("on dragoman serve", () => {
    let bin: BuiltBin;
    let folders: Scratch;
    let remote: ServeProcess;
    beforeAll(async () => {
      [bin, folders] = await Promise.all([buildBin(), scratch()]);
      await writeFile(join(folders.cwd, "README.md"), "# Lighthouse\n\nA lamp for ships.\n");
      const args = ["--origin", new URL(server.page).origin];
      remote = await startServe({ bin: bin.file, folders, args, agent: ["-a", "demo"] });
    });
    afterAll(async () => {
      await cleanUp();
      await Promise.all([bin.remove(), folders.remove()]);
    });
    const prompt = (scheme: string, token: string): Promise<unknown> =>
      run("remote", scheme, token, "/project", "what does this project do?", remote.url);

    it.each(["ws:", "http:"])("prompts an agent at its %s address", async (scheme) => {
      expect(await prompt(scheme, remote.token)).toContain("A lamp for ships.");
    });

    it("is refused with a wrong token, and from a page that the server does not know", async () => {
      await expect(prompt("ws:", "wrong")).rejects.toThrow("StartError");
      await page.goto(server.stranger);
      await page.waitForFunction("globalThis.scenarios !== undefined");
      await expect(prompt("ws:", remote.token)).rejects.toThrow("StartError");
      await expect(prompt("http:", remote.token)).rejects.toThrow("StartError");
      // Browsers report refused connections on the console.
      faults.splice(0);
    });
  });

  it("leaves nothing open on the agent's side", async () => {
    const left = server.nextEnd();
    await run("turn", cwd, "/think");
    expect(await left).toMatchObject({ kind: "ended" });
  });
});

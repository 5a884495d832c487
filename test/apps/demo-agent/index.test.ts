/** The demo agent as users start it, with `dragoman demo-agent`, and our own client. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AcpClient, localTerminals } from "../../../src/entries/dragoman.ts";
import { FrameChecker } from "../../support/schema.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-bin-"));
  await writeFile(join(folder, "README.md"), "# Mill\n\nGrinds corn.\n");
  const built = await rolldown({
    input: fileURLToPath(new URL("../../../src/apps/bin/dragoman.ts", import.meta.url)),
    platform: "node",
  });
  await built.write({ dir: join(folder, "bin"), format: "esm" });
  await built.close();
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const checker = new FrameChecker("agent");

const start = (): Promise<AcpClient> =>
  AcpClient.start({
    command: process.execPath,
    args: [join(folder, "bin", "dragoman.js"), "demo-agent"],
    permissions: "all",
    capabilities: { fs: { writeTextFile: true }, session: { notices: {} } },
    terminal: localTerminals(),
    tap: ({ direction, line }) => checker.saw(direction === "in" ? "agent" : "client", line),
  });

it("the demo agent answers, edits, runs a command, can be cancelled and ends with its client", async () => {
  const client = await start();
  expect(client.agent.info?.name).toBe("dragoman-demo");
  const session = await client.newSession({ cwd: folder });
  expect(await session.prompt("what does this project do?").text()).toContain("Grinds corn.");
  await session.prompt("/edit note.txt hello").result;
  expect(await readFile(join(folder, "note.txt"), "utf8")).toBe("hello\n");
  expect(await session.prompt("/run echo hello").text()).toContain("code 0");
  const hanging = session.prompt("/hang");
  await hanging.cancel();
  expect((await hanging.result).stopReason).toBe("cancelled");
  await expect(session.prompt("/error -32050").result).rejects.toMatchObject({ rpcCode: -32050 });
  expect(await client.close()).toMatchObject({ kind: "closed", exit: { code: 0 } });
  expect(checker.faults).toEqual([]);
  expect(checker.judged).toBeGreaterThan(30);
});

it("dragoman demo-agent --unstable uses the unstable protocol", async () => {
  const unstable = new FrameChecker("agent", "unstable");
  await using client = await AcpClient.start({
    command: process.execPath,
    args: [join(folder, "bin", "dragoman.js"), "demo-agent", "--unstable"],
    unstable: true,
    tap: ({ direction, line }) => unstable.saw(direction === "in" ? "agent" : "client", line),
  });
  expect(await client.authStatus()).toMatchObject({ state: "not_required" });
  const session = await client.newSession({
    cwd: folder,
    mcpServers: [{ type: "acp", name: "clock", handle: ({ method }) => ({ method }) }],
  });
  expect(await session.prompt("/mcp-call clock tools/list").text()).toContain("tools/list");
  await session.prompt("/plans").result;
  expect([...session.plans.keys()]).toEqual(["steps", "file"]);
  expect(unstable.faults).toEqual([]);
});

it("the demo agent crashes on request, and the client reports the exit code", async () => {
  const client = await start();
  const session = await client.newSession({ cwd: folder });
  const turn = session.prompt("/crash 9");
  let text = "";
  const reading = (async () => {
    for await (const update of turn) text += update.text;
  })();
  await expect(reading).rejects.toThrow("exited with code 9");
  expect(text).toBe("Goodbye.");
  await expect(turn.result).rejects.toMatchObject({
    name: "ConnectionError",
    reason: {
      kind: "exited",
      exit: { code: 9 },
      stderr: expect.stringContaining("as requested") as string,
    },
  });
});

// The pauses between the starts of an agent that fails add up to fifteen seconds.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Answer, Editor } from "../../../../host/hub/editor.ts";
import { soak } from "../../../../support/soak.ts";
import { AGENT, buildBin } from "../../support/bin.ts";

it.runIf(soak)("a proxy exits with 8 when its agent has failed five times", async () => {
  const bin = await buildBin();
  onTestFinished(() => bin.remove());
  const home = await realpath(await mkdtemp(join(tmpdir(), "dragoman-proxy-")));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const client = new Editor({
    command: [process.execPath, bin.file, "proxy", "--", process.execPath, AGENT],
    pidFile: join(home, "proxies"),
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home },
    cwd: home,
    answer: async () => ({}),
  });
  await client.initialize();
  const ends: unknown[] = [];
  while (ends.length < 5) {
    const session = await client.newSession(home);
    ends.push(await client.prompt(session, "crash").catch((thrown: unknown) => thrown));
  }
  for (const end of ends) {
    expect(end).toBeInstanceOf(Answer);
    expect(end).toMatchObject({ code: -32005, data: { exit: 3, signal: null } });
  }
  expect(await client.ended).toBe(8);
  expect(client.stderr).toContain("node failed too often and is not started again");
});

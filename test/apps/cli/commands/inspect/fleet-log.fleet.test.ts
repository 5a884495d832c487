// `dragoman inspect --nats`, with a real server.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { connectNats, type FleetEngine } from "../../../../../src/host/fleet/index.ts";
import type { Recording } from "../../../../../src/transport/wire/index.ts";
import { type NatsServers, startNats } from "../../../../host/fleet/nats-server.ts";
import { testTenant, testWorker } from "../../../../host/fleet/rig.ts";
import { send } from "../../../inspector/server/http.ts";
import { startCommand } from "../../fleet/processes.ts";
import { run } from "../../support/run.ts";
import { pageAddress, shown } from "./shown.ts";
import { builtBin, foldersForAll } from "../setup.ts";

describe("the page of a session in a fleet", () => {
  const bin = builtBin();
  const folders = foldersForAll();
  let servers: NatsServers;
  let engine: FleetEngine;

  beforeAll(async () => {
    servers = await startNats();
    engine = await connectNats({ servers: servers.urls });
  });
  afterAll(async () => {
    await engine.close();
    await servers.close();
  });

  const nats = (): string[] => servers.urls.flatMap((url) => ["--nats", url]);
  const tenant = async (host: string) => {
    await testWorker({ engine, host, pool: "pool" });
    return testTenant(engine);
  };
  /** Shows sessions as a process, which ends with the test. */
  const inspect = (...sessions: readonly string[]) => {
    const setup = { bin: bin.file, folders, nats: servers.urls };
    const page = startCommand(setup, ["inspect", "--no-open", ...nats(), ...sessions]);
    onTestFinished(async () => void (await page.kill("SIGKILL")));
    return page;
  };
  const text = ({ lines }: Recording): string => lines.map(({ line }) => line).join("\n");

  it("goes on while the session does, and after its server was away", async () => {
    const running = await tenant("live");
    const first = await running.prompt("wait");
    const page = inspect(running.session);
    const read = await shown(() => page.err());
    // The note of the worker, two messages that opened the session, the prompt and the first update.
    const before = await read(5);
    expect(before.header).toMatchObject({ agent: { name: "test" }, redacted: true });
    expect(text(before)).toContain("waiting");
    expect(text(before)).not.toContain("stopReason");
    await running.client.cancel(running.session);
    expect(text(await read(6))).toContain('"stopReason":"cancelled"');
    await running.ended(first);
    const [server] = servers.nodes;
    await server?.kill();
    await server?.restart();
    await running.run("after the restart");
    const after = await read(9);
    expect(after.lines.filter(({ line }) => line.includes('"session/prompt"'))).toHaveLength(2);
    expect(text(after)).toContain("after the restart");
    expect(page.err()).not.toContain("not read anymore");
    expect(await page.kill("SIGINT")).toEqual({ code: 0, signal: null });
  });

  it("does not need a worker, and hides secrets", async () => {
    const asked = await tenant("ended");
    const headers = [{ name: "Authorization", value: "Bearer abcdef123456" }];
    const server = { type: "http", name: "tools", url: "https://mcp.example", headers };
    await asked.client.open(asked.session, { mcpServers: [server] });
    await asked.run("hello");
    await asked.client.release(asked.session);
    const page = inspect(asked.session);
    const found = text(await (await shown(() => page.err()))(6));
    expect(found).toContain("https://mcp.example");
    expect(found).not.toContain("abcdef123456");
    const { port, headers: access } = pageAddress(page.err());
    const { sessions } = JSON.parse((await send({ port }, "/api/sessions", access)).text);
    expect(sessions).toMatchObject([{ name: asked.session, live: true, hidden: 1 }]);
    const lost = sessions[0].losses.map(({ code }: { readonly code: string }) => code);
    expect(lost).toEqual(["raw", "stderr", "decisions"]);
  });

  it("can be exported, even with a second session to compare", async () => {
    const [one, other] = [await tenant("one"), await testTenant(engine)];
    await one.run("first");
    await other.run("second");
    const argv = ["inspect", ...nats(), one.session, other.session, "--export", "two.html"];
    expect(await run(argv, folders)).toMatchObject({
      code: 0,
      err: expect.stringContaining("0 secrets hidden; it holds 1 prompt, 1 message"),
    });
    const html = await readFile(join(folders.cwd, "two.html"), "utf8");
    expect(html).toContain('id="recording-2"');
  });

  it("has no findings about an agent that keeps the rules", async () => {
    const good = await tenant("good");
    await good.run("hello");
    await good.run("call 2");
    const argv = ["inspect", ...nats(), good.session, "--findings", "json"];
    expect(await run(argv, folders)).toMatchObject({ code: 0, out: '{"v":1,"findings":[]}\n' });
  });

  it("is refused for a session that is unknown, or has no log to export", async () => {
    const empty = await testTenant(engine);
    for (const more of [["--no-open"], ["--findings", "text"], ["--export", "x.html"]]) {
      const found = await run(["inspect", ...nats(), "missing", ...more], folders);
      expect(found).toMatchObject({ code: 2, out: "", last: "the session missing is unknown" });
    }
    expect(await run(["inspect", ...nats(), empty.session, "--findings", "text"], folders)).toEqual(
      expect.objectContaining({ code: 2, last: `the log of ${empty.session} is empty` }),
    );
  });
});

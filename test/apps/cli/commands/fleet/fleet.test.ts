import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectNats, type FleetEngine, startWorker } from "../../../../../src/host/fleet/index.ts";
import {
  natsServer,
  type NatsServers,
  needsNats,
  startNats,
} from "../../../../host/fleet/nats-server.ts";
import { testAgent, testTenant } from "../../../../host/fleet/rig.ts";
import { events, run } from "../../support/run.ts";
import { expectRefused, foldersForAll } from "../setup.ts";

describe("fleet config", () => {
  const folders = foldersForAll();

  const config = (...args: readonly string[]) => run(["fleet", "config", ...args], folders);
  const text = (...path: readonly string[]): string =>
    readFileSync(join(folders.cwd, ...path), "utf8");

  it("writes a secret for each role, which only the user can read", async () => {
    expect(await config("--out", "plain")).toMatchObject({ code: 0 });
    const folder = join(folders.cwd, "plain");
    const secrets = readdirSync(folder).filter((name) => name.endsWith(".nk"));
    expect(secrets).toEqual(["admin.nk", "gateway.nk", "jobs.nk", "status.nk", "worker.nk"]);
    for (const name of secrets) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      expect(text("plain", "rights.conf")).not.toContain(text("plain", name).trim());
    }
    const exists = "plain exists; try: --worker NAME, to add a worker to it";
    await expectRefused(config("--out", "plain"), exists);
  });

  it("gives each worker that is named a key of its own, and adds more later", async () => {
    const made = ["--worker", "w1", "--worker", "a/b", "--nats-cert", "c.pem", "--nats-key", "k"];
    expect(await config("--out", "many", ...made)).toMatchObject({ code: 0 });
    const before = text("many", "rights.conf");
    expect(await config("--out", "many", "--worker", "w2")).toMatchObject({ code: 0 });
    const workers = readdirSync(join(folders.cwd, "many")).filter((name) =>
      name.startsWith("worker"),
    );
    expect(workers).toEqual(["worker-a%2Fb.nk", "worker-w1.nk", "worker-w2.nk"]);
    const after = text("many", "rights.conf");
    const keys = (config_: string): string[] => config_.match(/nkey: \w+/g) ?? [];
    expect(keys(before)).toHaveLength(6);
    expect(keys(after).slice(0, 6)).toEqual(keys(before));
    expect(keys(after)).toHaveLength(7);
    expect(after).toContain(`cert_file: ${JSON.stringify(join(folders.cwd, "c.pem"))}`);
    const again = config("--out", "many", "--worker", "w2");
    await expectRefused(again, "many has the worker w2 already");
  });

  it("does not add workers to a folder of something else", () =>
    expectRefused(config("--out", "..", "--worker", "w1"), "../users.json: no such file"));
});

describe.skipIf(natsServer === undefined)(needsNats("the commands of a fleet"), () => {
  const folders = foldersForAll();
  let servers: NatsServers;
  let engine: FleetEngine;
  const nats = (): string[] => servers.urls.flatMap((url) => ["--nats", url]);

  beforeAll(async () => {
    servers = await startNats();
    engine = await connectNats({ servers: servers.urls });
  });
  afterAll(async () => {
    await engine.close();
    await servers.close();
  });

  it("show the fleet, and a session as a recording", async () => {
    const worker = await startWorker({ engine, host: "w1", pool: "pool", agents: [testAgent()] });
    const tenant = await testTenant(engine);
    await tenant.run("hello");
    const shown = await run(["fleet", "status", ...nats(), "-o", "events"], folders);
    expect(events(shown.out)[0]).toMatchObject({
      type: "fleet",
      workers: [{ host: "w1", pool: "pool", agents: ["test"], isDraining: false }],
      pools: [{ pool: "pool", sessions: 1, queued: 0 }],
    });
    const status = await run(["fleet", "status", ...nats()], folders);
    expect(status.out).toMatch(/^WORKER .*\nw1 +pool +ready/);
    expect(status.out).toMatch(/\nDR_EV +\d+/);
    await worker.close();
    const exported = await run(["fleet", "export", ...nats(), tenant.session], folders);
    expect(events(exported.out)[0]).toMatchObject({ recording: "dragoman", version: 2 });
    expect(exported.out).toContain("hello");
    expect(exported.out).toMatch(/stopReason\W+end_turn/);
  });

  it.each([
    [["fleet", "export"], "the session missing is unknown"],
    [["jobs", "show"], "the job missing is unknown"],
  ])("report with %j that something is unknown", (words, message) =>
    expectRefused(run([...words, ...nats(), "missing"], folders), message),
  );

  it("report servers that cannot be reached, and wrong options", async () => {
    const away = run(["fleet", "status", "--nats", "nats://127.0.0.1:1"], folders);
    await expectRefused(away, /^could not connect to NATS/, 1);
    const wrong: readonly (readonly string[])[] = [
      ["fleet", "status"],
      ["fleet", "export", ...nats()],
      ["fleet", "export", ...nats(), "s", "-o", "events"],
      ["fleet", "status", ...nats(), "--worker", "w1"],
      ["fleet", "status", ...nats(), "--follow"],
      ["fleet", "config"],
      ["jobs", "list"],
      ["worker", ...nats()],
      ["gateway", ...nats(), "word"],
      ["jobs", "submit", ...nats(), "-a", "demo", "hello"],
    ];
    for (const words of wrong) expect(await run(words, folders)).toMatchObject({ code: 2 });
  });
});

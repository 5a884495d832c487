// A fleet as people run it: real processes, and a real NATS server.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { hashToken } from "../../../../../src/transport/wire/index.ts";
import { createAuthority, hasOpenssl, needsOpenssl } from "../../../../host/fleet/certificates.ts";
import { type NatsServers, startNats } from "../../../../host/fleet/nats-server.ts";
import {
  type FleetProcess,
  type FleetSetup,
  startCommand,
  startFleetProcess,
} from "../../fleet/processes.ts";
import { buildBin } from "../../support/bin.ts";
import { events, run, scratch } from "../../support/run.ts";
import { builtBin, expectRefused, foldersForAll } from "../setup.ts";

const TOKEN = "t".repeat(40);
const OTHER = "o".repeat(40);
/** How a question about the repository ends. */
const ONE_FILE = { code: 0, out: expect.stringContaining("1 file") };

describe("a fleet of processes", () => {
  const bin = builtBin();
  const folders = foldersForAll();
  let servers: NatsServers;
  let setup: FleetSetup;
  let worker: FleetProcess;
  let gateways: FleetProcess[];
  let tokenFile: string;

  beforeAll(async () => {
    servers = await startNats();
    setup = { bin: bin.file, folders, nats: servers.urls };
    const repo = join(folders.cwd, "repo");
    mkdirSync(repo);
    writeFileSync(join(repo, "a.txt"), "first\n");
    execFileSync("git", ["init", "--quiet", repo]);
    const user = ["-c", "user.name=test", "-c", "user.email=test@example.org"];
    execFileSync("git", ["add", "--all"], { cwd: repo });
    execFileSync("git", [...user, "commit", "--quiet", "-m", "first"], { cwd: repo });
    tokenFile = join(folders.home, "ada.token");
    writeFileSync(tokenFile, `${TOKEN}\n`, { mode: 0o600 });
    writeFileSync(join(folders.home, "eve.token"), `${OTHER}\n`, { mode: 0o600 });
    const tokens = join(folders.home, "tokens.json");
    const grants = [
      { name: "ada", sha256: hashToken(TOKEN), tenant: "team" },
      { name: "eve", sha256: hashToken(OTHER) },
    ];
    writeFileSync(tokens, JSON.stringify({ version: 1, tokens: grants }), { mode: 0o600 });
    const agents = ["-a", "demo", "--root", `repo=${repo}`, "--worker-name", "w1"];
    worker = await startFleetProcess(setup, "worker", agents);
    gateways = await Promise.all(
      [0, 1].map(() => startFleetProcess(setup, "gateway", ["--tokens", tokens])),
    );
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.kill("SIGTERM");
    await worker.kill("SIGTERM");
    await servers.close();
  });

  const nats = (): string[] => servers.urls.flatMap((url) => ["--nats", url]);
  const through = (gateway: number, scheme: "ws" | "http", token = tokenFile): string[] => {
    const url = `${scheme}://127.0.0.1:${gateways[gateway]?.port}/acp/demo`;
    return ["--agent-url", url, "--token-file", token];
  };

  it.each(["ws", "http"] as const)(
    "answers prompts through any gateway, over %s",
    async (scheme) => {
      for (const gateway of [0, 1]) {
        const words = [...through(gateway, scheme), "-C", "/repo", "what is here?"];
        expect(await run(words, folders)).toMatchObject(ONE_FILE);
      }
    },
  );

  it("continues a session through another gateway, over HTTP, for its tenant alone", async () => {
    const words = ["-C", "/repo", "-o", "events"];
    const first = await run([...through(0, "ws"), ...words, "what is here?"], folders);
    const { sessionId } = events(first.out).at(-1) ?? {};
    const resume = [...words, "--resume", String(sessionId), "and now?"];
    const second = await run([...through(1, "http"), ...resume], folders);
    expect(second).toMatchObject({ code: 0 });
    expect(events(second.out).at(-1)).toMatchObject({ sessionId, stopReason: "end_turn" });
    const eve = join(folders.home, "eve.token");
    const refused = await run([...through(1, "http", eve), ...resume], folders);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain("Unknown session");
  });

  it("runs a job once, through NATS and through a gateway, and shows its tenant alone", async () => {
    const job = ["submit", "-C", "repo", "--id", "job-1", "what is here?"];
    const direct = ["jobs", ...nats(), "--tenant", "team"];
    const submitted = { code: 0, out: "job-1\n" };
    expect(await run([...direct, "-a", "demo", ...job], folders)).toMatchObject(submitted);
    const remote = ["jobs", ...through(1, "ws")];
    expect(await run([...remote, ...job], folders)).toMatchObject(submitted);
    expect(await run([...remote, "follow", "job-1"], folders)).toMatchObject(ONE_FILE);
    const shown = await run([...direct, "show", "job-1", "-o", "events"], folders);
    expect(events(shown.out)[0]).toMatchObject({ type: "job", id: "job-1", state: "done" });
    const listed = await run([...direct, "list"], folders);
    expect(listed.out).toMatch(/^JOB .*\njob-1 +done +demo +w1/);
    const eve = ["jobs", ...through(0, "http", join(folders.home, "eve.token"))];
    expect(await run([...eve, "list"], folders)).toMatchObject({ code: 0, out: "" });
    expect(await run([...eve, "show", "job-1"], folders)).toMatchObject({ code: 1 });
  });

  it("has metrics for Prometheus on every process", async () => {
    const worked = await fetch(`http://127.0.0.1:${worker.port}/metrics`);
    expect(await worked.text()).toMatch(/^dragoman_sessions_opened_total [1-9]/m);
    const authorization = `Bearer ${TOKEN}`;
    const url = `http://127.0.0.1:${gateways[0]?.port}/metrics`;
    const served = await fetch(url, { headers: { authorization } });
    expect(await served.text()).toMatch(/^dragoman_turns_total\{.*outcome="end_turn"\} [1-9]/m);
  });

  it("does not accept a second worker of the same name", async () => {
    const words = ["worker", ...nats(), "-a", "demo", "--worker-name", "w1"];
    const taken = "another worker has the name w1; try: --worker-name NAME";
    await expectRefused(run(words, folders), taken);
  });

  it("drains a worker on SIGTERM: its turn ends, and it exits with 0", async () => {
    const root = ["--root", `repo=${join(folders.cwd, "repo")}`];
    const args = ["-a", "demo", "--pool", "other", "--worker-name", "w2", ...root];
    const other = await startFleetProcess(setup, "worker", args);
    const job = ["--pool", "other", "-a", "demo", "-C", "repo", "--id", "slow", "/slow 10 100"];
    await run(["jobs", "submit", ...nats(), ...job], folders);
    const state = async (): Promise<unknown> =>
      events((await run(["jobs", "show", ...nats(), "slow", "-o", "events"], folders)).out)[0]?.[
        "state"
      ];
    await vi.waitUntil(async () => (await state()) === "running", {
      timeout: 20_000,
      interval: 20,
    });
    const exit = await other.kill("SIGTERM");
    expect(exit).toEqual({ code: 0, signal: null });
    expect(other.err()).toContain("waiting for running turns");
    expect(await state()).toBe("done");
    const shown = await run(["fleet", "status", ...nats()], folders);
    expect(shown.out).not.toContain("w2");
  });

  it("serves a client of version 2", async () => {
    const words = [...through(0, "ws"), "-C", "/repo", "--protocol", "2", "what is here?"];
    expect(await run(words, folders)).toMatchObject(ONE_FILE);
  });
});

describe("the configuration of a fleet", () => {
  it.skipIf(!hasOpenssl)(
    needsOpenssl("gives each role and each worker its own rights, over TLS, and nothing more"),
    async () => {
      const folders = await scratch();
      const bin = await buildBin();
      const authority = createAuthority();
      const out = join(folders.cwd, "nats");
      const { caFile } = authority;
      const { certFile, keyFile } = authority.sign("server");
      const tls = ["--nats-cert", certFile, "--nats-key", keyFile, "--nats-ca", caFile];
      const config = ["fleet", "config", "--out", out];
      expect(await run([...config, ...tls, "--worker", "w1"], folders)).toMatchObject({ code: 0 });
      expect(await run([...config, "--worker", "w2"], folders)).toMatchObject({ code: 0 });
      const servers = await startNats(1, readFileSync(join(out, "rights.conf"), "utf8"));
      const client = authority.sign("client");
      const as = (name: string): string[] => [
        ...servers.urls.flatMap((url) => ["--nats", url]),
        "--nats-credentials",
        join(out, `${name}.nk`),
        "--nats-ca",
        caFile,
        "--nats-cert",
        client.certFile,
        "--nats-key",
        client.keyFile,
      ];
      try {
        expect(await run(["fleet", "setup", ...as("admin")], folders)).toMatchObject({ code: 0 });
        const setup = { bin: bin.file, folders, nats: [] };
        const hosting = ["-a", "demo", "--root", `repo=${folders.cwd}`, "--worker-name"];
        const workers = await Promise.all(
          ["w1", "w2"].map((name) =>
            startFleetProcess(setup, "worker", [...as(`worker-${name}`), ...hosting, name]),
          ),
        );
        const token = ["--token-file", join(folders.home, "token")];
        const gateway = await startFleetProcess(setup, "gateway", [...as("gateway"), ...token]);
        const url = `ws://127.0.0.1:${gateway.port}/acp`;
        const prompt = ["--agent-url", url, ...token, "-C", "repo", "what is here?"];
        expect(await run(prompt, folders), gateway.err()).toMatchObject({ code: 0 });
        const status = await run(["fleet", "status", ...as("status")], folders);
        expect(status.out).toMatch(/^WORKER .*\nw1 .*\nw2 /);
        expect(await run(["jobs", "list", ...as("jobs")], folders)).toMatchObject({ code: 0 });
        // A worker under another name, and a role that only reads.
        for (const [name, key] of [
          ["w3", "worker-w1"],
          ["w4", "status"],
        ] as const) {
          const wrong = startCommand(setup, ["worker", ...as(key), ...hosting, name]);
          expect(await wrong.exit).toMatchObject({ code: 1 });
          expect(wrong.err()).toMatch(/Permissions Violation/);
        }
        for (const running of [gateway, ...workers]) await running.kill("SIGTERM");
      } finally {
        await servers.close();
        authority.remove();
        await folders.remove();
        await bin.remove();
      }
    },
  );
});

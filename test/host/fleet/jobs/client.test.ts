import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  type FleetEngine,
  FleetError,
  fleetJobs,
  type JobSource,
  type NewJob,
  type WorkerOptions,
} from "../../../../src/host/fleet/index.ts";
import { hubPolicy, openRoots } from "../../../../src/host/hub/index.ts";
import { readRules } from "../../../../src/client/rules/index.ts";
import { deferred } from "../../../../src/base/index.ts";
import { git, shortFleet, testAgent, testRepository, testWorker, WAIT } from "../rig.ts";

describe("a job", () => {
  let folder: string;
  let connect: () => FleetEngine;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "dragoman-jobs-test-"));
    await testRepository(folder);
    connect = shortFleet(5);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  async function worker(
    host: string,
    engine = connect(),
    agent = testAgent(),
    more: Partial<WorkerOptions> = {},
  ) {
    const roots = await openRoots([{ name: "repo", folder: join(folder, "repo") }]);
    const jobsFolder = join(folder, "jobs");
    return testWorker({ engine, host, roots, jobsFolder, agents: [agent], ...more });
  }

  /** A worker, and the jobs of a tenant. `run` submits one and waits for its end. */
  async function started(options: Partial<WorkerOptions> = {}) {
    const agent = testAgent();
    await worker("a", connect(), agent, options);
    const jobs = fleetJobs(connect(), "me");
    const run = async (...args: Parameters<typeof job>) => {
      const submitted = job(...args);
      await jobs.submit(submitted);
      return jobs.wait(submitted.id);
    };
    return { agent, jobs, run };
  }

  function job(id: string, prompt: string, more: Partial<NewJob> = {}): NewJob {
    const source: JobSource = { kind: "root", cwd: "repo" };
    return { id, pool: "pool", agent: "test", source, prompt, ...more };
  }

  it("works in a fresh worktree, and has its answer, its changes and its place in the log", async () => {
    const { agent, jobs } = await started();
    expect(await jobs.submit(job("1", "write b.txt"))).toMatchObject({ state: "queued" });
    const ended = await jobs.wait("1");
    expect(ended).toMatchObject({ state: "done", host: "a", error: undefined });
    expect(ended.result).toMatchObject({ answer: "done", stopReason: "end_turn" });
    expect(ended.result?.diff).toMatchObject({ text: expect.stringContaining("+written") });
    expect(ended.result?.position).toBeGreaterThan(0);
    expect(readdirSync(join(folder, "repo"))).toEqual([".git", "a.txt"]);
    await vi.waitFor(() => expect(readdirSync(join(folder, "jobs"))).toEqual([]), WAIT);
    const again = await jobs.submit(job("1", "write c.txt"));
    expect(again).toMatchObject({ state: "done", prompt: "write b.txt" });
    expect(agent.prompts).toEqual(["write b.txt"]);
  });

  it("works in a clone of a git URL, at the revision that it names", async () => {
    // It runs the other side of git here, in place of a connection to a host.
    const ssh = join(folder, "ssh");
    writeFileSync(ssh, '#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n', { mode: 0o700 });
    vi.stubEnv("GIT_SSH_COMMAND", ssh);
    vi.stubEnv("GIT_SSH_VARIANT", "ssh");
    onTestFinished(() => void vi.unstubAllEnvs());
    const repository = join(folder, "repo");
    git(repository, "branch", "release");
    writeFileSync(join(repository, "a.txt"), "second\n");
    git(repository, "commit", "--quiet", "-am", "second");
    const { run } = await started();
    const source: JobSource = {
      kind: "git",
      url: `ssh://host.example${repository}`,
      revision: "release",
    };
    const ended = await run("1", "write a.txt", { source });
    expect(ended).toMatchObject({ state: "done", error: undefined });
    expect(ended.result?.diff).toMatchObject({
      text: expect.stringContaining("-first\n+written"),
    });
  });

  it("has an id that other tenants can use too", async () => {
    const agent = testAgent();
    await worker("a", connect(), agent);
    // The second pair would be one, if a name could hold what separates it from an id.
    const tenants = ["me", "you", "a", "a:b"] as const;
    const ids = ["1", "1", "b:1", "1"] as const;
    const all = tenants.map((tenant) => fleetJobs(connect(), tenant));
    for (const [at, jobs] of all.entries()) {
      const submitted = await jobs.submit(job(ids[at] ?? "", `hello ${tenants[at]}`));
      expect(submitted).toMatchObject({ state: "queued", tenant: tenants[at] });
    }
    const sessions = new Set<string>();
    for (const [at, jobs] of all.entries()) {
      const ended = await jobs.wait(ids[at] ?? "");
      expect(ended).toMatchObject({ state: "done", result: { answer: `hello ${tenants[at]}` } });
      expect(await jobs.list()).toHaveLength(1);
      sessions.add(ended.session);
    }
    expect(sessions.size).toBe(4);
  });

  it("that waits can be cancelled, and is not run", async () => {
    const jobs = fleetJobs(connect(), "me");
    await jobs.submit(job("1", "hello"));
    expect(await jobs.cancel("1")).toMatchObject({ state: "cancelled" });
    const agent = testAgent();
    const engine = connect();
    await worker("a", engine, agent);
    await vi.waitFor(async () => expect(await engine.work.depth("pool")).toBe(0), WAIT);
    expect(agent.prompts).toEqual([]);
  });

  it("that runs can be cancelled, and has a time limit", async () => {
    const { jobs, run } = await started();
    await jobs.submit(job("1", "wait"));
    expect(await run("2", "wait", { timeoutMs: 50 })).toMatchObject({
      state: "failed",
      error: "the job took longer than 50 ms and was cancelled",
    });
    await vi.waitFor(async () => {
      await jobs.cancel("1");
      expect(await jobs.show("1")).toMatchObject({ state: "cancelled" });
    }, WAIT);
  });

  it("has an answer that matches its schema, after corrections if need be", async () => {
    const { agent, run } = await started();
    const schema = { type: "object", required: ["ok"] };
    expect((await run("1", 'json {"ok":1}', { schema })).result).toMatchObject({
      value: { ok: 1 },
    });
    expect(await run("2", "json {}", { schema })).toMatchObject({
      state: "done",
      result: { value: { ok: true } },
    });
    expect(await run("3", "json {}", { schema, schemaRetries: 0 })).toMatchObject({
      state: "failed",
      error: expect.stringContaining("ok"),
      result: { answer: "{}" },
    });
    expect(agent.prompts).toHaveLength(4);
  });

  it("whose answer takes too long to check fails without blocking others for long", async () => {
    const { agent, run } = await started();
    const schema = { type: "string", pattern: "^(a+)+$" };
    const prompt = `json "${"a".repeat(60)}!"`;
    expect(await run("1", prompt, { schema, schemaRetries: 1000 })).toMatchObject({
      state: "failed",
      error: expect.stringContaining("checking it against the schema took longer than 500 ms"),
    });
    expect(agent.prompts).toHaveLength(1);
    const properties = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, at) => [`p${at}`, { minLength: at }]),
    );
    expect(await run("2", "json 1", { schema: { properties } })).toMatchObject({
      state: "failed",
      error: expect.stringContaining("the JSON schema cannot be used: compiling it took longer"),
    });
  });

  it("that uses more than its budget is cancelled and fails", async () => {
    const { run } = await started();
    expect(await run("1", "call 3", { budget: { toolCalls: 2 } })).toMatchObject({
      state: "failed",
      error: "the job made 3 tool calls, more than its budget of 2",
    });
  });

  it("is denied everything that neither its rules nor those of its worker allow", async () => {
    const rulesOf: string[] = [];
    const { run } = await started({
      jobPolicy: (rules) => {
        rulesOf.push(rules);
        const file = readRules(rules, "rules", { home: "/home", platform: "linux" });
        return hubPolicy({ rules: file, files: "client" }).policy;
      },
    });
    const rules = JSON.stringify({ version: 1, rules: [{ kind: "execute", decision: "allow" }] });
    expect((await run("1", "ask", { rules })).result?.answer).toBe("allowed");
    expect((await run("2", "ask")).result?.answer).toBe("denied");
    expect(await run("3", "ask", { rules: "{" })).toMatchObject({ state: "failed" });
    expect(rulesOf).toHaveLength(2);
  });

  it("has no one to ask: a question counts as cancelled", async () => {
    const { run } = await started();
    expect((await run("1", "ask")).result?.answer).toBe("denied");
  });

  it("fails with the reason", async () => {
    const { run } = await started();
    const source: JobSource = { kind: "root", cwd: "repo", revision: "--help" };
    expect(await run("1", "hello", { source })).toMatchObject({
      state: "failed",
      error: expect.stringMatching(/git rev-parse failed/),
    });
    expect(await run("2", "hello", { source: { kind: "root", cwd: "/etc" } })).toMatchObject({
      state: "failed",
    });
    expect(
      await run("3", "hello", { source: { kind: "git", url: "ext::sh -c id" } }),
    ).toMatchObject({
      state: "failed",
      error: expect.stringMatching(/git clone failed/),
    });
  });

  it("is not run again when its worker dies, and is reported with everything said so far", async () => {
    const dying = connect();
    const agent = testAgent();
    await worker("a", dying, agent);
    const engine = connect();
    const jobs = fleetJobs(engine, "me");
    await jobs.submit(job("1", "wait"));
    await vi.waitFor(() => expect(agent.prompts).toEqual(["wait"]), WAIT);
    await vi.waitFor(
      async () => expect(await engine.log.last("job:me:1")).toBeGreaterThan(4),
      WAIT,
    );
    await worker("b", connect(), agent);
    await dying.close();
    const ended = await jobs.wait("1");
    expect(ended).toMatchObject({
      state: "unknown",
      error: expect.stringMatching(/outcome of the prompt is unknown/),
    });
    expect(ended.result).toMatchObject({ answer: "waiting", diff: undefined });
    expect(agent.prompts).toEqual(["wait"]);
  });

  it("has an unknown outcome if its worker lost the session before the end was stored", async () => {
    const engine = connect();
    const append: FleetEngine["log"]["append"] = (session, text, options) =>
      text.includes('"turn_ended"')
        ? Promise.reject(new FleetError("fenced", "the session has another owner"))
        : engine.log.append(session, text, options);
    await worker("a", { ...engine, log: { ...engine.log, append } });
    const jobs = fleetJobs(connect(), "me");
    await jobs.submit(job("1", "hello"));
    expect(await jobs.wait("1")).toMatchObject({ state: "unknown", result: { answer: "hello" } });
  });

  it("that its worker gets again while it runs goes on", async () => {
    const engine = connect();
    const deliveries = deferred();
    const twice: FleetEngine = {
      ...engine,
      work: {
        ...engine.work,
        take: async (pool, options) => {
          const item = await engine.work.take(pool, options);
          if (item && item.deliveries > 1) deliveries.resolve();
          // A worker that is stalled does not extend its work.
          return item && { ...item, extend: () => Promise.resolve() };
        },
      },
    };
    const opened = await openRoots([{ name: "repo", folder: join(folder, "repo") }]);
    const folderOf: typeof opened.folder = async (...args) => {
      await deliveries.promise;
      return opened.folder(...args);
    };
    const roots = { ...opened, folder: folderOf };
    const { run } = await started({ engine: twice, roots });
    expect(await run("1", "hello")).toMatchObject({ state: "done", result: { answer: "hello" } });
  });

  it("is refused while the queue is full, and does not exist then", async () => {
    const jobs = fleetJobs(connect(), "me");
    for (let id = 0; id < 5; id++) await jobs.submit(job(String(id), "hello"));
    const refused = jobs.submit(job("more", "hello"));
    await expect(refused).rejects.toMatchObject({ code: "try_later" });
    expect(await jobs.list()).toHaveLength(5);
  });
});

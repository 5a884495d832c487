// Sessions that try to get around the roots of a worker.
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { fleetClient, fleetJobs, type NewFleetSession } from "../../../../src/host/fleet/index.ts";
import { readAnswer, writeRequest } from "../../../../src/host/fleet/worker/protocol.ts";
import { openRoots } from "../../../../src/host/hub/index.ts";
import { shortFleet, testAgent, testRepository, testWorker, WAIT } from "../rig.ts";

/** A worker with a root, on which a job of another tenant is running, and the folder of that job. */
async function workerWithJob(jobsFolderOf: (folder: string) => string) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "dragoman-worker-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const repository = await testRepository(folder);
  const connect = shortFleet();
  const engine = connect();
  const roots = await openRoots([{ name: "repo", folder: repository }]);
  const agent = testAgent();
  const jobsFolder = jobsFolderOf(folder);
  await testWorker({ engine: connect(), host: "a", roots, jobsFolder, agents: [agent] });
  const source = { kind: "root", cwd: "repo" } as const;
  await fleetJobs(engine, "ada").submit({
    id: "1",
    pool: "pool",
    agent: "test",
    source,
    prompt: "wait",
  });
  await vi.waitFor(() => expect(agent.prompts).toEqual(["wait"]), WAIT);
  const jobFolder = join(jobsFolder, readdirSync(jobsFolder)[0] ?? "", "tree");
  /** Opens a session of another tenant on the worker, which a fleet would choose by the name of a root. */
  const open = async (
    session: Pick<NewFleetSession, "cwd" | "additionalDirectories" | "mcpServers">,
  ) => {
    const start = { pool: "pool", agent: "test", ...session };
    const id = await fleetClient(engine, "eve").create(start);
    const request = writeRequest({ type: "open", session: id });
    return readAnswer(await engine.calls.call("a", request, { timeoutMs: 10_000 }));
  };
  return { agent, folder, jobFolder, open };
}

it("lets no session into the folder of a job that is running, nor past the roots through it", async () => {
  const { agent, jobFolder, open } = await workerWithJob((folder) => join(folder, "jobs"));
  const outside = { additionalDirectories: ["/"], mcpServers: [{ name: "x", command: "/bin/sh" }] };
  await expect(open({ cwd: jobFolder, ...outside })).rejects.toMatchObject({ rpcCode: -32602 });
  await expect(open({ cwd: jobFolder })).rejects.toMatchObject({ rpcCode: -32602 });
  // Only the session of the job itself was opened.
  expect(agent.mcpServers).toEqual([[]]);
});

it("lets no session into the folder of a job below a root", async () => {
  const { agent, jobFolder, open } = await workerWithJob((folder) => join(folder, "repo", "jobs"));
  for (const session of [
    { cwd: jobFolder },
    { cwd: join(jobFolder, ".") },
    { cwd: "/repo", additionalDirectories: [jobFolder] },
  ]) {
    await expect(open(session)).rejects.toMatchObject({ rpcCode: -32602 });
  }
  await open({ cwd: "/repo" });
  expect(agent.mcpServers).toEqual([[], []]);
});

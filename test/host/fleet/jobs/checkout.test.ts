// An agent that may edit nothing but its worktree tries to make the worker's own git run a command.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type FleetJob,
  fleetJobs,
  type JobSource,
  memoryFleet,
} from "../../../../src/host/fleet/index.ts";
import { openRoots } from "../../../../src/host/hub/index.ts";
import { git, testAgent, testRepository, testWorker } from "../rig.ts";

let folder: string;
let repository: string;
let mark: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "dragoman-checkout-"));
  mark = join(folder, "mark");
  vi.stubEnv("GIT_CONFIG_GLOBAL", join(folder, "gitconfig"));
  repository = await testRepository(folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a job whose agent does this in its worktree. */
async function run(
  act: (cwd: string) => Promise<void>,
  source: JobSource = { kind: "root", cwd: "repo" },
): Promise<FleetJob> {
  const engine = memoryFleet().connect();
  const roots = await openRoots([{ name: "repo", folder: repository }]);
  const agents = [testAgent("test", { act })];
  await testWorker({ engine, host: "a", roots, jobsFolder: join(folder, "jobs"), agents });
  const jobs = fleetJobs(engine, "me");
  await jobs.submit({ id: "1", pool: "pool", agent: "test", source, prompt: "act" });
  return jobs.wait("1");
}

/** A source that leads to the same repository over ssh. */
async function clonedSource(): Promise<JobSource> {
  const ssh = join(folder, "ssh");
  const script = '#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n';
  await writeFile(ssh, script, { mode: 0o700 });
  vi.stubEnv("GIT_SSH_COMMAND", ssh);
  vi.stubEnv("GIT_SSH_VARIANT", "ssh");
  return { kind: "git", url: `ssh://host.example${repository}` };
}

/** Settings that run a command whenever git looks at, adds or compares a file. */
function hostileConfig(): string {
  const command = `touch ${mark}; cat`;
  return [
    "[core]\n\trepositoryformatversion = 0\n\tbare = false",
    `\tfsmonitor = "${command}"\n\thooksPath = hooks\n\tsshCommand = "${command}"\n\tpager = "${command}"`,
    `[filter "x"]\n\tclean = "${command}"\n\tsmudge = "${command}"\n\trequired = true`,
    `[diff]\n\texternal = "${command}"`,
    `[diff "x"]\n\ttextconv = "${command}"\n\tcommand = "${command}"`,
    `[alias]\n\tadd = "!${command}"\n`,
  ].join("\n");
}

/** A repository with such settings, below a folder that an agent may edit. */
async function hostileRepository(gitFolder: string): Promise<void> {
  git(folder, "init", "--quiet", "--bare", gitFolder);
  await writeFile(join(gitFolder, "config"), hostileConfig());
  await mkdir(join(gitFolder, "hooks"), { recursive: true });
  for (const name of ["post-index-change", "pre-commit", "post-checkout"]) {
    await writeFile(join(gitFolder, "hooks", name), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o700 });
  }
}

async function writeAttributes(cwd: string): Promise<void> {
  await writeFile(join(cwd, ".gitattributes"), "* filter=x diff=x\n");
  await writeFile(join(cwd, "a.txt"), "changed\n");
}

/** Everything that the agent may try; each gets the worktree. */
const ATTACKS: Readonly<Record<string, (cwd: string) => Promise<void>>> = {
  "puts a repository in the place of .git": async (cwd) => {
    await rm(join(cwd, ".git"), { recursive: true });
    await hostileRepository(join(cwd, ".git"));
    await writeAttributes(cwd);
  },
  "lets .git lead to a repository of its own": async (cwd) => {
    await rm(join(cwd, ".git"), { recursive: true });
    await hostileRepository(join(cwd, "own"));
    await writeFile(join(cwd, ".git"), `gitdir: ${join(cwd, "own")}\n`);
    await writeAttributes(cwd);
  },
  "writes settings into .git": async (cwd) => {
    await writeFile(join(cwd, ".git", "config"), hostileConfig()).catch(() => {});
    await writeAttributes(cwd);
  },
  "fills a submodule": async (cwd) => {
    await rm(join(cwd, "sub"), { recursive: true, force: true });
    git(folder, "clone", "--quiet", repository, join(cwd, "sub"));
    // Git looks into a submodule whose commit is the expected one.
    git(join(cwd, "sub"), "checkout", "--quiet", "HEAD~1");
    await writeFile(join(cwd, "sub", ".git", "config"), hostileConfig());
    await writeAttributes(join(cwd, "sub"));
    // Of the same size, so that only its content tells that it changed.
    await writeFile(join(cwd, "sub", "a.txt"), "FIRST\n");
    await writeFile(join(cwd, "a.txt"), "changed\n");
  },
  "changes the script of a filter": async (cwd) => {
    await writeFile(join(cwd, "filter.sh"), `touch ${mark}; cat\n`);
    await writeFile(join(cwd, ".gitattributes"), "* filter=script\n");
    await writeFile(join(cwd, "a.txt"), "changed\n");
  },
};

describe("the worktree of a job", () => {
  beforeEach(() => {
    // The repository has a submodule, and a filter of its user.
    const head = git(repository, "rev-parse", "HEAD").trim();
    git(repository, "update-index", "--add", "--cacheinfo", `160000,${head},sub`);
    git(repository, "commit", "--quiet", "-m", "submodule");
    git(repository, "config", "filter.script.clean", "sh ./filter.sh");
  });

  for (const [name, attack] of Object.entries(ATTACKS)) {
    for (const kind of ["root", "clone"]) {
      it(`of a ${kind} runs no command for an agent that ${name}`, async () => {
        const job = await run(attack, kind === "root" ? undefined : await clonedSource());
        expect(existsSync(mark)).toBe(false);
        expect(job).toMatchObject({ state: "done", error: undefined });
        expect(job.result?.diff).toMatchObject({
          text: expect.stringContaining("-first\n+changed"),
        });
      });
    }
  }

  it("ignores changes made only by its filters", async () => {
    // The file in the tree differs from the one in the commit, as large files do.
    git(repository, "config", "--global", "filter.upper.clean", "tr a-z A-Z");
    git(repository, "config", "--global", "filter.upper.smudge", "tr A-Z a-z");
    await writeFile(join(repository, ".gitattributes"), "a.txt filter=upper\n");
    git(repository, "add", "--all");
    git(repository, "commit", "--quiet", "-m", "filtered");
    const job = await run(async (cwd) => {
      expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("first\n");
      await writeFile(join(cwd, "b.txt"), "new\n");
    });
    expect(job.result?.diff).toMatchObject({ text: expect.not.stringContaining("a.txt") });
    expect(job.result?.diff).toMatchObject({ text: expect.stringContaining("+new") });
  });
});

describe("a job in a folder of a root that an agent edited before", () => {
  const HOSTILE = "repo/hostile";
  const commitHostile = async (): Promise<string> => {
    const hostile = join(repository, "hostile");
    git(folder, "init", "--quiet", hostile);
    await writeAttributes(hostile);
    git(hostile, "add", "--all");
    git(hostile, "commit", "--quiet", "-m", "hostile");
    return hostile;
  };

  it("runs no filter of its repository", async () => {
    const hostile = await commitHostile();
    await writeFile(join(hostile, ".git", "config"), hostileConfig());
    const job = await run((cwd) => writeFile(join(cwd, "a.txt"), "more\n"), {
      kind: "root",
      cwd: HOSTILE,
    });
    expect(existsSync(mark)).toBe(false);
    expect(job).toMatchObject({ state: "done", error: undefined });
  });

  it("ignores its repository's fetch settings", async () => {
    const hostile = await commitHostile();
    const partial = [
      "[core]\n\trepositoryformatversion = 1",
      `\tsshCommand = "touch ${mark}; false"`,
      "[extensions]\n\tpartialClone = origin",
      '[remote "origin"]\n\turl = ssh://host.example/x\n\tpromisor = true\n',
    ];
    await writeFile(join(hostile, ".git", "config"), partial.join("\n"));
    const revision = "1".repeat(40);
    const job = await run(async () => {}, { kind: "root", cwd: HOSTILE, revision });
    expect(existsSync(mark)).toBe(false);
    expect(job).toMatchObject({ state: "failed" });
  });
});

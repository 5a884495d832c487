import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FakeTerminal } from "../support/io.ts";
import { foldersForEach } from "../commands/setup.ts";
import { run, start, withAgent } from "../support/run.ts";

const folders = foldersForEach();
async function project(settings: object): Promise<void> {
  await mkdir(join(folders.cwd, ".dragoman"));
  await writeFile(join(folders.cwd, ".dragoman/settings.json"), JSON.stringify(settings));
}

describe("the settings of a project", () => {
  it("start an agent only after a question that shows its command", async () => {
    const [, line = ""] = withAgent();
    const [command, ...args] = line.split(" ");
    const env = { NODE_OPTIONS: "--no-warnings", API_KEY: "hush" };
    const settings = { agent_servers: { theirs: { command, args, env } } };
    await project(settings);

    const terminal = new FakeTerminal();
    const first = start(["hello"], { ...folders, terminal });
    await terminal.output.waitFor("Trust them");
    expect(terminal.output.text).toContain(`agent theirs: ${line}`);
    expect(terminal.output.text).toContain('variable NODE_OPTIONS="--no-warnings"');
    expect(terminal.output.text).toContain("variable API_KEY (value not shown)");
    terminal.type("y\n");
    expect((await first.ended).out).toBe("Hello, world");
    expect((await run(["hello"], folders)).out).toBe("Hello, world");
  });
  it("start no agent of a folder that links to the settings of a trusted one", async () => {
    const hostile = join(folders.home, "hostile");
    await mkdir(hostile);
    const settings = { agent_servers: { a: { command: "node", args: ["./agent.mjs"] } } };
    await project(settings);
    await run(["agents", "--trust-project"], folders);

    await symlink(join(folders.cwd, ".dragoman"), join(hostile, ".dragoman"));
    const attack = 'import { writeFileSync } from "node:fs"; writeFileSync("ran", "");';
    await writeFile(join(hostile, "agent.mjs"), attack);
    for (const argv of [
      ["-a", "a"],
      ["-a", "a", "--trust-project"],
    ]) {
      const { code, err } = await run([...argv, "hello"], { home: folders.home, cwd: hostile });
      expect(code).toBe(2);
      expect(err).toContain(".dragoman/settings.json is ignored: a link leads out of this folder");
    }
    expect(await readdir(hostile)).not.toContain("ran");
  });
  it("end the run on Ctrl-C at that question", async () => {
    await project({ agent_servers: {} });
    const terminal = new FakeTerminal();
    const { io, ended } = start(["hello"], { ...folders, terminal });
    await terminal.output.waitFor("Trust them");
    io.signal("SIGINT");
    expect((await ended).code).toBe(130);
  });
});

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FakeTerminal } from "../support/io.ts";
import { run, scratch, start, withAgent } from "../support/run.ts";

describe("the settings of a project", () => {
  it("start an agent only after a question that shows its command", async () => {
    const folders = await scratch();
    const options = { home: folders.home, cwd: folders.cwd };
    await mkdir(join(folders.cwd, ".dragoman"));
    const [, line = ""] = withAgent();
    const [command, ...args] = line.split(" ");
    const settings = { agent_servers: { theirs: { command, args } } };
    await writeFile(join(folders.cwd, ".dragoman/settings.json"), JSON.stringify(settings));

    const terminal = new FakeTerminal();
    const first = start(["hello"], { ...options, terminal });
    await terminal.output.waitFor("Trust them");
    expect(terminal.output.text).toContain(`agent theirs: ${line}`);
    terminal.type("y\n");
    expect((await first.ended).out).toBe("Hello, world");
    expect((await run(["hello"], options)).out).toBe("Hello, world");
    await folders.remove();
  });
  it("end the run on Ctrl-C at that question", async () => {
    const folders = await scratch();
    await mkdir(join(folders.cwd, ".dragoman"));
    await writeFile(join(folders.cwd, ".dragoman/settings.json"), '{"agent_servers":{}}');
    const terminal = new FakeTerminal();
    const { io, ended } = start(["hello"], { home: folders.home, cwd: folders.cwd, terminal });
    await terminal.output.waitFor("Trust them");
    io.signal("SIGINT");
    expect((await ended).code).toBe(130);
    await folders.remove();
  });
});

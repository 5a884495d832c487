import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { AGENT } from "../support/bin.ts";
import { FakeTerminal, type FakeIoOptions } from "../support/io.ts";
import { run, start } from "../support/run.ts";
import { foldersForEach } from "../commands/setup.ts";

const folders = foldersForEach();
let bin: string;
beforeEach(async () => {
  bin = join(folders.home, "bin");
  await mkdir(bin);
});

/** Installs agents of the catalogue: all are the scripted agent. */
const install = (...names: readonly string[]) =>
  Promise.all(
    names.map((name) =>
      writeFile(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${AGENT}'\n`, {
        mode: 0o755,
      }),
    ),
  );
const options = (more: FakeIoOptions = {}): FakeIoOptions => ({
  ...folders,
  env: { PATH: bin },
  ...more,
});
const at = (terminal: FakeTerminal): FakeIoOptions => options({ terminal, stdoutTty: true });
const settings = () => join(folders.home, ".config/dragoman/settings.json");

describe("the first run with several installed agents", () => {
  it("asks which one to use, saves the answer, and never asks again", async () => {
    await install("gemini", "opencode");
    await mkdir(dirname(settings()), { recursive: true });
    await writeFile(settings(), "// mine\n{}\n");
    const terminal = new FakeTerminal();
    const { ended } = start(["hello"], at(terminal));
    await terminal.output.waitFor("Which one");
    expect(terminal.output.text).toContain("  1  gemini\n  2  opencode\n");
    terminal.type("7\n");
    await terminal.output.waitFor("Please answer with a number from 1 to 2.");
    terminal.type("2\n");
    await terminal.output.waitFor("Make opencode your default agent? [Y/n]");
    terminal.type("\n");
    const { out, err } = await ended;
    expect(out).toContain("Hello, world");
    expect(err).toContain(`saved default_agent in ${settings()}`);
    expect(await readFile(settings(), "utf8")).toBe(
      '// mine\n{\n  "default_agent": "opencode"\n}\n',
    );
    const again = await run(["-o", "events", "hello"], at(terminal));
    expect(again.out).toContain('"name":"opencode"');
  });

  it("asks only once, even if the answer is not saved", async () => {
    await install("gemini", "opencode");
    const terminal = new FakeTerminal();
    const { ended } = start(["hello"], at(terminal));
    await terminal.output.waitFor("Which one");
    terminal.type("opencode\n");
    await terminal.output.waitFor("Make opencode your default agent?");
    terminal.type("n\n");
    expect((await ended).code).toBe(0);
    const { err } = await run(["hello"], at(terminal));
    expect(err).toContain("found gemini and opencode; using gemini");
  });

  it.each<[string, FakeIoOptions, readonly string[]]>([
    ["in a pipe", {}, []],
    ["whose output is a pipe", { terminal: new FakeTerminal() }, []],
    ["with --no-ask", { terminal: new FakeTerminal(), stdoutTty: true }, ["--no-ask"]],
  ])("%s prints which agents it found and which one it uses", async (_, more, flags) => {
    await install("gemini", "opencode", "qwen");
    const { out, err } = await run([...flags, "hello"], options(more));
    expect(out).toContain("Hello, world");
    expect(err).toContain(
      "dragoman: found gemini, opencode and qwen; using gemini (dragoman config set default_agent NAME chooses another)",
    );
  });

  it("asks nothing if there is only one", async () => {
    await install("opencode");
    const terminal = new FakeTerminal();
    const { err } = await run(["hello"], at(terminal));
    expect(err).toContain("using opencode, the only agent found");
  });

  it("ends on Ctrl-C at the question, which is asked again in the next run", async () => {
    await install("gemini", "opencode");
    const terminal = new FakeTerminal();
    const { io, ended } = start(["hello"], at(terminal));
    await terminal.output.waitFor("Which one");
    io.signal("SIGINT");
    expect((await ended).code).toBe(130);
    const next = new FakeTerminal();
    const second = start(["hello"], at(next));
    await next.output.waitFor("Which one");
    next.type("\n");
    await next.output.waitFor("Make gemini your default agent?");
    next.type("y\n");
    expect((await second.ended).code).toBe(0);
  });
});

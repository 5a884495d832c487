import { execFile } from "node:child_process";
import { mkdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { buildBin } from "../../support/bin.ts";
import type { FakeIoOptions } from "../../support/io.ts";
import { processEnv } from "../../support/process.ts";
import { events, run, withAgent } from "../../support/run.ts";
import { expectRefused, foldersForEach } from "../setup.ts";

const folders = foldersForEach();
let file: string;
beforeEach(async () => {
  file = join(folders.home, ".config/dragoman/settings.json");
  await mkdir(dirname(file), { recursive: true });
});
const config = (argv: readonly string[], env: FakeIoOptions["env"] = {}) =>
  run(["config", ...argv], { ...folders, env: { PATH: "", ...env } });
const dragoman = (argv: readonly string[], env: FakeIoOptions["env"] = {}) =>
  run(argv, { ...folders, env });
const text = () => readFile(file, "utf8");

describe("dragoman config", () => {
  it("prints the path of the settings, even if they are broken", async () => {
    await writeFile(file, "{");
    expect((await config(["path"])).out).toBe(`${file}\n`);
    const other = join(folders.cwd, "s.json");
    expect((await config(["path", "--settings", "s.json"])).out).toBe(`${other}\n`);
  });

  it("creates the file, and reads back what it has set", async () => {
    await config(["set", "default_agent", "gemini"]);
    await config(["set", "agents.gemini.model", "pro"]);
    await config(["set", "agents.gemini.options.effort", "high"]);
    await config(["set", "agents.gemini.flags", "--", "--write", "--timeout", "5m"]);
    await config(["set", "notifications", "on"]);
    await config(["set", "warm", "10m"]);
    expect(JSON.parse(await text())).toEqual({
      default_agent: "gemini",
      agents: {
        gemini: {
          model: "pro",
          options: { effort: "high" },
          flags: ["--write", "--timeout", "5m"],
        },
      },
      notifications: true,
      warm: "10m",
    });
    expect((await config(["get", "default_agent"])).out).toBe("gemini\n");
    expect((await config(["get", "agents.gemini.flags"])).out).toBe("--write --timeout 5m\n");
    expect((await config(["list"])).out).toBe(
      "default_agent=gemini\nnotifications=true\nwarm=10m\nagents.gemini.model=pro\n" +
        "agents.gemini.options.effort=high\nagents.gemini.flags=--write --timeout 5m\n",
    );
  });

  it("keeps comments, order and indentation", async () => {
    const before = `// mine
{
    /* agents */
    "agent_servers": { "a": { "command": "x" } }, // one line
    "theme": "dark", // because
}
`;
    await writeFile(file, before);
    await config(["set", "theme", "light"]);
    expect(await text()).toBe(before.replace('"dark"', '"light"'));
    await config(["set", "agents.a.mode", "plan"]);
    expect(await text()).toContain('\n    "agents": {\n        "a": {\n            "mode": "plan"');
    await config(["unset", "agents.a.mode"]);
    expect(await text()).not.toContain('"agents"');
    expect(await text()).toContain("// because");
    expect((await config(["get", "theme"])).out).toBe("light\n");
  });

  it("leaves a link to the file a link", async () => {
    const dotfile = join(folders.home, "dotfile.json");
    await writeFile(dotfile, "{}");
    await symlink(dotfile, file);
    await config(["set", "theme", "none"]);
    expect(await readlink(file)).toBe(dotfile);
    expect(JSON.parse(await readFile(dotfile, "utf8"))).toEqual({ theme: "none" });
  });

  it("explains where each value comes from", async () => {
    await writeFile(file, '{ "output": "simple", "agents": { "demo": { "mode": "ask" } } }');
    const env = { DRAGOMAN_PERMISSIONS: "rules.json", DRAGOMAN_MODEL: "big", PAGER: "less" };
    const { out } = await config([], env);
    expect(out.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["SETTING", "VALUE", "FROM"],
      ["default_agent", "demo", "no other agent was found"],
      ["output", "simple", file],
      ["permissions", "rules.json", "DRAGOMAN_PERMISSIONS"],
      ["theme", "auto", "default"],
      ["pager", "less", "PAGER"],
      ["notifications", "false", "default"],
      ["markdown", "true", "default"],
      ["warm", "0", "default"],
      ["agents.demo.mode", "ask", file],
      ["agents.*.model", "big", "DRAGOMAN_MODEL"],
      [""],
    ]);
    const listed = events((await config(["-o", "events"], env)).out);
    const setting = { v: 1, type: "setting", key: "output", value: "simple", from: file };
    expect(listed[1]).toEqual(setting);
    expect(listed.at(-1)).toMatchObject({ type: "result", ok: true });
  });

  it.each([
    [["frobnicate"], 'unknown action "frobnicate" for config'],
    [[""], 'unknown action "" for config'],
    [["get"], "config get needs one key; try: dragoman config lists them"],
    [["set", "theme"], "config set needs a key and a value"],
    [["get", "theme", "x"], "config get needs one key"],
    [["list", "x"], 'config list takes no arguments, but got "x"'],
    [["get", "defualt_agent"], 'unknown setting "defualt_agent"; try: default_agent'],
    [["set", "agents.claude.modle", "x"], 'unknown setting "agents.claude.modle"'],
    [["set", "default_agent", "nosuch"], 'unknown agent "nosuch" in default_agent'],
    [["set", "theme", "pink"], "theme must be one of auto, dark, light, none"],
    [["set", "output", "xml"], "output must be one of text"],
    [["set", "markdown", "maybe"], "markdown must be true or false"],
    [["set", "warm", "soon"], "warm must be a duration"],
    [
      ["set", "agents.demo.flags", "--", "--agent", "x"],
      "config set: agents.demo.flags: --agent cannot be set for one agent",
    ],
    [["set", "agents.demo.flags", "--", "--nope"], "agents.demo.flags: unknown option --nope"],
    [["set", "agents.demo.flags", "write"], "agents.demo.flags: only options are allowed"],
  ])("%j is an error, and changes nothing", async (argv, message) => {
    await writeFile(file, "{}");
    await expectRefused(config(argv), message);
    expect(await text()).toBe("{}");
  });

  it("does not change broken settings", async () => {
    await writeFile(file, '{\n  "theme": dark\n}');
    const problem = `${file}:2:12 is not valid JSON: unexpected word`;
    await expectRefused(config(["set", "theme", "light"]), problem);
  });

  it("says that a key is not set", async () => {
    const { out, last } = await config(["get", "agents.claude.model"]);
    expect([out, last]).toEqual(["", "agents.claude.model is not set"]);
    expect((await config(["unset", "theme"])).last).toBe("theme is not set");
  });
});

describe("a setting", () => {
  const [, command = ""] = withAgent();
  const [program, ...args] = command.split(" ");
  const settings = (preferences: object) =>
    writeFile(
      file,
      JSON.stringify({
        agent_servers: { first: { command: "no-such" }, mine: { command: program, args } },
        default_agent: "mine",
        ...preferences,
      }),
    );
  const shown = async (argv: readonly string[] = [], env: FakeIoOptions["env"] = {}) =>
    (await dragoman([...argv, "settings"], { ...env })).out;

  it("chooses the agent, the mode, the model and options of new sessions", async () => {
    await settings({
      agents: { mine: { mode: "code", model: "large", options: { fast: "true" } } },
    });
    expect(await shown()).toBe("code large true");
  });

  it("is overridden by variables, and those by flags", async () => {
    await settings({ agents: { mine: { mode: "code", model: "large" } } });
    expect(await shown([], { DRAGOMAN_MODEL: "small" })).toBe("code small false");
    const env = { DRAGOMAN_MODEL: "nosuch", DRAGOMAN_MODE: "ask", DRAGOMAN_AGENT: "mine" };
    expect(await shown(["--model", "large"], env)).toBe("ask large false");
    expect((await dragoman(["hello"], { DRAGOMAN_AGENT: "first" })).code).toBe(7);
    const described = ["--agent-command", command, "hello"];
    expect((await dragoman(described, { DRAGOMAN_AGENT: "first" })).out).toBe("Hello, world");
  });

  it("of an agent does not change a session that is resumed", async () => {
    await settings({ agents: { mine: { model: "nosuch" } } });
    expect((await dragoman(["--resume", "kept", "hello"])).out).toBe("Hello, world");
  });

  it("that the agent does not know is named in the error", async () => {
    await settings({ agents: { mine: { model: "huge" } } });
    const from = /unknown model "huge".*\(from agents\.mine in your settings\)/;
    await expectRefused(dragoman(["hello"]), from);
    const variable = dragoman(["hello"], { DRAGOMAN_MODEL: "tiny" });
    await expectRefused(variable, "(from the environment)");
  });

  it("gives an agent flags", async () => {
    await settings({ agents: { mine: { flags: ["--fail-on", "refusal"] } } });
    expect((await dragoman(["stop=refusal"])).code).toBe(10);
    await settings({ agents: { mine: { flags: ["--timeout", "never"] } } });
    expect((await dragoman(["hello"])).last).toContain('--timeout "never" is not a duration');
  });

  it("chooses the output, which variables and flags override", async () => {
    await settings({ output: "events" });
    expect((await dragoman(["hello"])).out).toContain('"type":"result"');
    expect((await dragoman(["hello"], { DRAGOMAN_OUTPUT: "text" })).out).toBe("Hello, world");
    expect((await dragoman(["-o", "simple", "hello"])).out).toBe("Hello, world");
    expect((await dragoman(["-j", "hello"])).out).toContain('"jsonrpc"');
    await expectRefused(
      dragoman(["hello"], { DRAGOMAN_OUTPUT: "xml" }),
      'DRAGOMAN_OUTPUT "xml" is not one of text, simple, jsonl, json, events, result',
    );
  });

  it("names the rules for permissions, relative to the settings", async () => {
    await writeFile(join(dirname(file), "rules.json"), "{ broken");
    await settings({ permissions: "rules.json" });
    expect((await dragoman(["hello"])).last).toContain(join(dirname(file), "rules.json"));
    await config(["set", "permissions", "mine.json"]);
    expect((await config(["get", "permissions"])).out).toBe(`${join(folders.cwd, "mine.json")}\n`);
  });

  it("turns color off", async () => {
    await settings({ theme: "none" });
    const options = { ...folders, stderrTty: true };
    const wrong = ["--mode", "nosuch", "hello"];
    expect((await run(wrong, options)).err).not.toContain("\u001b[31m");
    expect((await run(["--color", "always", ...wrong], options)).err).toContain("\u001b[31m");
  });

  it("in a project's file is ignored, with a note", async () => {
    await settings({});
    await mkdir(join(folders.cwd, ".dragoman"));
    const project = { default_agent: "first", output: "events" };
    await writeFile(join(folders.cwd, ".dragoman/settings.json"), JSON.stringify(project));
    const { out, err } = await dragoman(["--trust-project", "hello"]);
    expect(out).toBe("Hello, world");
    expect(err).toContain("only your own settings can set default_agent, output");
  });
});

it("the built command edits settings with comments", async () => {
  const bin = await buildBin();
  await writeFile(file, '// kept\n{ "theme": "dark", }\n');
  const options = { cwd: folders.cwd, env: processEnv(folders) };
  const args = [bin.file, "config", "set", "theme", "light"];
  await promisify(execFile)(process.execPath, args, options);
  expect(await text()).toBe('// kept\n{ "theme": "light", }\n');
  await bin.remove();
});

import { execFileSync } from "node:child_process";
import { writeFile, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { FakeTerminal } from "../support/io.ts";
import { run, withAgent } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";

const folders = foldersForAll();
beforeAll(async () => {
  await writeFile(join(folders.cwd, "a.txt"), "one\ntwo\n");
});

const prompt = (...argv: string[]) => run([...withAgent(), ...argv], folders);

describe("permissions without a terminal", () => {
  it.each([
    ["allow a read", ["reading"], "once", undefined],
    ["deny an edit", ["edit"], "no", "(--write would allow it)"],
    ["allow an edit with --write", ["--write", "edit"], "once", undefined],
    ["deny a command", ["run"], "no", "denied: run npm test (--exec would allow it)"],
    ["deny a command with --write", ["--write", "run"], "no", "(--exec would allow it)"],
    ["allow a command with --exec", ["--exec", "run"], "once", undefined],
    ["allow everything with --yolo", ["--yolo", "run"], "once", undefined],
    [
      "deny a tool call without a kind, no matter what its title says",
      ["untitled find . -name x -delete"],
      "no",
      "(--yolo would allow it)",
    ],
    ["do not choose a lasting option to deny", ["always"], "cancelled", "(--write would allow it)"],
    ["do not choose an allowing option to deny", ["allowing"], "cancelled", "denied: "],
    [
      "report a denial in simple output too",
      ["-o", "simple", "edit"],
      "no",
      "(--write would allow it)",
    ],
    [
      "do not choose a lasting option to allow",
      ["--write", "always"],
      "cancelled",
      "no option to allow it once",
    ],
  ])("%s", async (_name, argv, answer, line) => {
    const { out, err, code } = await prompt(...argv);
    expect({ code, out }).toEqual({ code: 0, out: answer });
    if (line === undefined) expect(err).not.toContain("[permission]");
    else expect(err).toContain(line);
  });
  it.each([
    ["pipe", "pipe is a pipe, not a file"],
    ["/dev/zero", "/dev/zero is a device, not a file"],
    [".", ". is a folder, not a file"],
    ["gone.json", "gone.json: no such permissions file"],
  ])("need a regular file of rules (%s)", async (file, message) => {
    if (file === "pipe") execFileSync("mkfifo", [join(folders.cwd, file)]);
    const { code, last } = await prompt("--permissions", file, "hello");
    expect({ code, last }).toEqual({ code: 2, last: message });
  });
  it("apply the rules of --permissions before the flags", async () => {
    const rules = (...list: object[]) =>
      writeFile(join(folders.cwd, "rules.json"), JSON.stringify({ version: 1, rules: list }));
    const ruled = (...argv: string[]) => prompt("--permissions", "rules.json", ...argv);
    await rules(
      { decision: "allow", kind: "execute", command: "npm test" },
      { decision: "deny", kind: "edit", path: "*.txt" },
    );
    expect((await ruled("run")).out).toBe("once");
    expect((await ruled("operators")).out).toBe("no");
    const edit = await ruled("--write", "edit");
    expect(edit.out).toBe("no");
    expect(edit.err).toContain("(rule 2 of --permissions denies it)");
  });
  it("deny and report a request if a rule requires asking", async () => {
    const rules = { version: 1, rules: [{ decision: "ask", kind: "edit" }] };
    await writeFile(join(folders.cwd, "ask.json"), JSON.stringify(rules));
    const flags = ["--write", "--strict-permissions", "--permissions", "ask.json"];
    const { code, err, last } = await prompt(...flags, "edit");
    const why = "(rule 1 of --permissions requires asking, which is not possible here)";
    expect(code).toBe(5);
    expect(err).toMatch(
      /^\[permission\] denied: edit .*a\.txt \(rule 1 of --permissions requires asking/m,
    );
    expect(last).toMatch(/^denied: edit /);
    expect(last.endsWith(why)).toBe(true);
  });
});

describe("permissions on a terminal", () => {
  it.each([
    ["about what a flag allows", "--write", "once"],
    ["with --no-ask", "--no-ask", "no"],
  ])("are not asked for %s", async (_case, flag, answer) => {
    const terminal = new FakeTerminal();
    const { out } = await run([...withAgent(), flag, "edit"], { ...folders, terminal });
    expect([out, terminal.output.text]).toEqual([answer, ""]);
  });
});

beforeAll(async () => {
  await mkdir(join(folders.cwd, "secrets"));
  await mkdir(join(folders.cwd, "src"));
  await writeFile(join(folders.cwd, "secrets/key"), "key");
  await symlink("../secrets", join(folders.cwd, "src/x"));
});

/** Runs an agent that sends these requests under these rules, and returns their outcomes. */
async function outcomes(
  rules: readonly object[],
  requests: readonly (readonly [method: string, params: object])[],
  ...flags: readonly string[]
): Promise<readonly string[]> {
  const file = join(folders.home, "rules.json");
  await writeFile(file, JSON.stringify({ version: 1, rules }));
  const list = requests.map(([method, params]) => ({ method, params }));
  const argv = [...withAgent(), "--permissions", file, ...flags];
  const { out } = await run([...argv, `requests ${JSON.stringify(list)}`], folders);
  return out.split(" or ").flatMap((part) => part.match(/error -\d+|\S+/g) ?? []);
}

const OPTIONS = [
  { optionId: "once", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];
const permission = (toolCall: object) =>
  [
    "session/request_permission",
    { toolCall: { toolCallId: "t1", title: "Read the docs", ...toolCall }, options: OPTIONS },
  ] as const;

describe("a rules file", () => {
  it("does not let variables change a command that it allows", async () => {
    const rules = [{ decision: "allow", command: "echo safe" }];
    const create = (env: object[]) =>
      ["terminal/create", { command: "echo", args: ["safe"], env }] as const;
    expect(
      await outcomes(rules, [
        create([]),
        create([{ name: "NO_COLOR", value: "1" }]),
        create([{ name: "BASH_ENV", value: "./evil.sh" }]),
        create([{ name: "GIT_CONFIG_COUNT", value: "1" }]),
        create([{ name: "PATH", value: "." }]),
      ]),
    ).toEqual(["ok", "ok", "error -32003", "error -32003", "error -32003"]);
  });

  it("is not bypassed by a link from an allowed folder into a denied one", async () => {
    const rules = [
      { decision: "deny", path: "secrets/**" },
      { decision: "allow", kind: ["edit", "read"], path: "src/**" },
    ];
    const path = join(folders.cwd, "src/x/key");
    expect(
      await outcomes(
        rules,
        [
          ["fs/read_text_file", { path }],
          ["fs/write_text_file", { path, content: "stolen" }],
          permission({ kind: "edit", locations: [{ path }] }),
          permission({ kind: "edit", locations: [{ path: join(folders.cwd, "src/a") }] }),
        ],
        "--write",
      ),
    ).toEqual(["error -32003", "error -32003", "no", "once"]);
    expect(await readFile(join(folders.cwd, "secrets/key"), "utf8")).toBe("key");
  });

  it("denies everything below a folder that it names without a wildcard", async () => {
    const path = join(folders.cwd, "secrets/key");
    expect(
      await outcomes([{ decision: "deny", path: "secrets" }], [["fs/read_text_file", { path }]]),
    ).toEqual(["error -32003"]);
  });

  it("with unsupported syntax ends the program with exit code 2", async () => {
    const file = join(folders.home, "bad.json");
    const rules = [{ decision: "deny", path: "secret[s]/**" }];
    await writeFile(file, JSON.stringify({ version: 1, rules }));
    const { code, last } = await run([...withAgent(), "--permissions", file, "hi"], folders);
    expect({ code, last }).toEqual({
      code: 2,
      last: `${file}: rules[0].path: [...] is not supported`,
    });
  });
});

describe("without rules", () => {
  it.each([
    [[], "read", "no"],
    [["--write"], "edit", "no"],
    [["--yolo"], "edit", "once"],
  ])(
    "the flags %j answer a call of kind %s at /etc/shadow with %s",
    async (flags, kind, outcome) => {
      const asked = permission({ kind, locations: [{ path: "/etc/shadow" }] });
      expect(await outcomes([], [asked], ...flags)).toEqual([outcome]);
    },
  );
});

const outside = () => join(folders.home, "outside.txt");

describe("the client", () => {
  beforeAll(() => writeFile(outside(), "outside\n"));

  it("lets the agent read files of the workspace, and others only with --yolo", async () => {
    expect((await prompt("read", join(folders.cwd, "a.txt"))).out).toBe("one\ntwo\n");
    expect((await prompt("read", outside())).out).toContain("error");
    expect((await prompt("--yolo", "read", outside())).out).toBe("outside\n");
    expect((await prompt("--no-fs", "read", join(folders.cwd, "a.txt"))).out).toBe("error -32601");
  });
  it("lets the agent write files with --write, but never outside the workspace", async () => {
    const file = join(folders.cwd, "new.txt");
    expect((await prompt("write", file)).out).toContain("error");
    expect((await prompt("--write", "write", file)).out).toBe("written");
    expect(await readFile(file, "utf8")).toBe("written\n");
    expect((await prompt("--yolo", "write", outside())).out).toContain("error");
    expect(await readFile(outside(), "utf8")).toBe("outside\n");
  });
  it("runs commands with --exec, but not with --no-terminal", async () => {
    expect((await prompt("--exec", "terminal")).out).toBe("from the terminal\n");
    expect((await prompt("terminal")).out).toBe("error -32601");
    expect((await prompt("--exec", "--no-terminal", "terminal")).out).toBe("error -32601");
  });
  it("offers the agent only what could be allowed", async () => {
    const caps = async (...argv: string[]) =>
      JSON.parse((await prompt(...argv, "caps")).out) as object;
    expect(await caps()).toMatchObject({
      fs: { readTextFile: true, writeTextFile: false },
      terminal: false,
    });
    expect(await caps("--yolo")).toMatchObject({ fs: { writeTextFile: true }, terminal: true });
    expect(await caps("--no-fs")).toMatchObject({
      fs: { readTextFile: false, writeTextFile: false },
    });
  });
});

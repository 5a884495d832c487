import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run, scratch, withAgent, type Scratch } from "../support/run.ts";

let folders: Scratch;
beforeAll(async () => {
  folders = await scratch();
  await mkdir(join(folders.cwd, "secrets"));
  await mkdir(join(folders.cwd, "src"));
  await writeFile(join(folders.cwd, "secrets/key"), "key");
  await symlink("../secrets", join(folders.cwd, "src/x"));
});
afterAll(() => folders.remove());

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
  const { out } = await run([...argv, `requests ${JSON.stringify(list)}`], {
    home: folders.home,
    cwd: folders.cwd,
  });
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
    const { code, last } = await run([...withAgent(), "--permissions", file, "hi"], {
      home: folders.home,
      cwd: folders.cwd,
    });
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

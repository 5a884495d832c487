import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeTerminal } from "../support/io.ts";
import { run, scratch, withAgent, type Scratch } from "../support/run.ts";

let folders: Scratch;
beforeAll(async () => {
  folders = await scratch();
  await writeFile(join(folders.cwd, "a.txt"), "one\ntwo\n");
});
afterAll(() => folders.remove());
const where = () => ({ home: folders.home, cwd: folders.cwd });

const prompt = (...argv: string[]) => run([...withAgent(), ...argv], where());

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
  it("do not ask about what a flag allows", async () => {
    const terminal = new FakeTerminal();
    const { out } = await run([...withAgent(), "--write", "edit"], { ...where(), terminal });
    expect(out).toBe("once");
    expect(terminal.output.text).toBe("");
  });
  it("never ask with --no-ask", async () => {
    const terminal = new FakeTerminal();
    const { out } = await run([...withAgent(), "--no-ask", "edit"], { ...where(), terminal });
    expect(out).toBe("no");
    expect(terminal.output.text).toBe("");
  });
});

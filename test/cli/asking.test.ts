// oxlint-disable no-control-regex -- terminals are driven by control characters
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeTerminal } from "./support/io.ts";
import { events, run, scratch, start, withAgent, type Scratch } from "./support/run.ts";

let place: Scratch;
beforeAll(async () => {
  place = await scratch();
  await writeFile(join(place.cwd, "a.txt"), "one\ntwo\n");
  await writeFile(join(place.home, "outside.txt"), "outside\n");
});
afterAll(() => place.remove());

const where = () => ({ home: place.home, cwd: place.cwd });
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], where());
const outside = () => join(place.home, "outside.txt");

describe("without a terminal", () => {
  it.each([
    ["a read is allowed", ["reading"], "once", undefined],
    ["an edit is refused", ["edit"], "no", "(--write would allow it)"],
    ["an edit is allowed with --write", ["--write", "edit"], "once", undefined],
    ["a command is refused", ["run"], "no", "denied: run npm test (--exec would allow it)"],
    ["a command is refused with --write", ["--write", "run"], "no", "(--exec would allow it)"],
    ["a command is allowed with --exec", ["--exec", "run"], "once", undefined],
    ["all is allowed with --yolo", ["--yolo", "run"], "once", undefined],
    [
      "what has no kind is refused whatever its title says",
      ["untitled find . -name x -delete"],
      "no",
      "(--yolo would allow it)",
    ],
    [
      "nothing lasting is refused on anybody's behalf",
      ["always"],
      "cancelled",
      "(--write would allow it)",
    ],
    [
      "nothing lasting is allowed on anybody's behalf",
      ["--write", "always"],
      "cancelled",
      "no way to allow it once",
    ],
  ])("%s", async (_name, argv, answer, line) => {
    const { out, err, code } = await prompt(...argv);
    expect({ code, out }).toEqual({ code: 0, out: answer });
    if (line === undefined) expect(err).not.toContain("[permission]");
    else expect(err).toContain(line);
  });

  it("files of the workspace can be read, others only with --yolo", async () => {
    expect((await prompt("read", join(place.cwd, "a.txt"))).out).toBe("one\ntwo\n");
    expect((await prompt("read", outside())).out).toContain("error");
    expect((await prompt("--yolo", "read", outside())).out).toBe("outside\n");
    expect((await prompt("--no-fs", "read", join(place.cwd, "a.txt"))).out).toBe("error -32601");
  });

  it("files can be written with --write, never outside the workspace", async () => {
    const file = join(place.cwd, "new.txt");
    expect((await prompt("write", file)).out).toContain("error");
    expect((await prompt("--write", "write", file)).out).toBe("written");
    expect(await readFile(file, "utf8")).toBe("written\n");
    expect((await prompt("--yolo", "write", outside())).out).toContain("error");
    expect(await readFile(outside(), "utf8")).toBe("outside\n");
  });

  it("commands run with --exec, and not with --no-terminal", async () => {
    expect((await prompt("--exec", "terminal")).out).toBe("from the terminal\n");
    expect((await prompt("terminal")).out).toBe("error -32601");
    expect((await prompt("--exec", "--no-terminal", "terminal")).out).toBe("error -32601");
  });

  it("only what could be allowed is offered to the agent", async () => {
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

  it("rules decide first", async () => {
    const rules = (...list: object[]) =>
      writeFile(join(place.cwd, "rules.json"), JSON.stringify({ version: 1, rules: list }));
    const ruled = (...argv: string[]) => prompt("--permissions", "rules.json", ...argv);
    await rules(
      { decision: "allow", kind: "execute", command: "npm test" },
      { decision: "deny", kind: "edit", path: "*.txt" },
    );
    expect((await ruled("run")).out).toBe("once");
    expect((await ruled("operators")).out).toBe("no");
    const edit = await ruled("--write", "edit");
    expect(edit.out).toBe("no");
    expect(edit.err).toContain("(rule 2 of --permissions decided)");
  });

  it("a rule that wants a person asked says that there was none", async () => {
    const rules = { version: 1, rules: [{ decision: "ask", kind: "edit" }] };
    await writeFile(join(place.cwd, "ask.json"), JSON.stringify(rules));
    const flags = ["--write", "--strict-permissions", "--permissions", "ask.json"];
    const { code, err, last } = await prompt(...flags, "edit");
    const why = "(nobody could be asked, as rule 1 of --permissions wants)";
    expect(code).toBe(5);
    expect(err).toMatch(/^\[permission\] denied: edit .*a\.txt \(nobody could be asked/m);
    expect(last).toMatch(/^denied: edit /);
    expect(last.endsWith(why)).toBe(true);
  });

  it("--strict-permissions makes a refusal a failure", async () => {
    const { code, last, out } = await prompt("--strict-permissions", "edit");
    expect({ code, out }).toEqual({ code: 5, out: "no" });
    expect(last).toMatch(/^denied: edit .*a\.txt; try: --write$/);
    expect((await prompt("--strict-permissions", "--write", "edit")).code).toBe(0);
  });
});

describe("on a terminal", () => {
  /** Runs a prompt and answers what is asked. */
  async function answer(argv: readonly string[], typed: string) {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), ...argv], { ...where(), terminal });
    await terminal.output.waitFor("Choose");
    terminal.type(typed);
    return { ...(await ended), asked: terminal.output.text, terminal };
  }

  it("the agent's own options are shown, with the diff", async () => {
    const { out, asked, terminal } = await answer(["edit"], "1\n");
    expect(out).toBe("once");
    expect(asked).toContain("node asks for permission: Edit a.txt [edit]");
    expect(asked).toContain("+1 -1\n  @@ -1,2 +1,2 @@\n   one\n  -two\n  +2\n");
    expect(asked).toContain("  1) Allow once\n  2) Reject\n  3) Always allow\n");
    expect(terminal.closed).toBe(terminal.opened);
  });

  it("and the command", async () => {
    const { out, asked } = await answer(["run"], "2\n");
    expect(out).toBe("no");
    expect(asked).toContain("Run it [execute]\n  $ npm test\n");
  });

  it.each([
    ["y\n", "once"],
    ["n\n", "no"],
    ["3\n", "always"],
    ["what\n9\n1\n", "once"],
  ])("%j chooses %s", async (typed, chosen) => {
    expect((await answer(["edit"], typed)).out).toBe(chosen);
  });

  it("only an option that was chosen lasts", async () => {
    const { out } = await answer(["always"], "y\n1\n");
    expect(out).toBe("always");
  });

  it("flags and rules are not asked about", async () => {
    const terminal = new FakeTerminal();
    const { out } = await run([...withAgent(), "--write", "edit"], { ...where(), terminal });
    expect(out).toBe("once");
    expect(terminal.output.text).toBe("");
  });

  it("nothing is asked with --no-ask", async () => {
    const terminal = new FakeTerminal();
    const { out } = await run([...withAgent(), "--no-ask", "edit"], { ...where(), terminal });
    expect(out).toBe("no");
    expect(terminal.output.text).toBe("");
  });

  it("a file that is to be written is shown as a diff, a new one as such", async () => {
    const old = await answer(["write", join(place.cwd, "a.txt")], "n\n");
    expect(old.asked).toContain("asks for permission: write a.txt");
    expect(old.asked).toMatch(/ {2}a\.txt \+1 -2\n {2}@@ .*\n {2}-one\n {2}-two\n {2}\+written\n/);
    const fresh = await answer(["write", join(place.cwd, "fresh.txt")], "n\n");
    expect(fresh.asked).toContain("asks for permission: create fresh.txt");
  });

  it("a diff that the story has just shown on that terminal is not shown again", async () => {
    const terminal = new FakeTerminal();
    const io = { ...where(), terminal, stderrTty: true };
    const { io: ran, ended } = start([...withAgent(), "--color", "never", "edit"], io);
    await terminal.output.waitFor("Choose");
    terminal.type("1\n");
    await ended;
    expect(ran.err.text).toContain("[diff] a.txt +1 -1\n  @@");
    expect(terminal.output.text).toContain("a.txt +1 -1, as shown above\n");
    expect(terminal.output.text).not.toContain("@@");
  });

  it("the question works while stdin and stdout are pipes, and stdout stays pure", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "-o", "events"], {
      ...where(),
      terminal,
      stdin: "edit",
    });
    await terminal.output.waitFor("Choose");
    terminal.type("1\n");
    const all = events((await ended).out);
    expect(all.find(({ type }) => type === "permission")).toMatchObject({
      outcome: "allowed",
      by: "user",
      optionId: "once",
    });
  });

  it("machine output on the same terminal is kept apart from the question", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "-o", "events", "edit"], {
      ...where(),
      terminal,
      stdoutTty: true,
    });
    await terminal.output.waitFor("Choose");
    terminal.type("1\n");
    await ended;
    expect(terminal.output.text).toMatch(/^\u001b\[\?1049h\u001b\[H[^]*\u001b\[\?1049l$/);
  });

  it("Ctrl-C at the question cancels the turn", async () => {
    const terminal = new FakeTerminal();
    const { io, ended } = start([...withAgent(), "asking"], { ...where(), terminal });
    await terminal.output.waitFor("Choose");
    io.signal("SIGINT");
    const { code, out } = await ended;
    expect({ code, out }).toEqual({ code: 130, out: "got cancelled" });
  });

  it("Ctrl-D at the question chooses nothing", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "edit"], { ...where(), terminal });
    await terminal.output.waitFor("Choose");
    terminal.input.end();
    expect((await ended).out).toBe("cancelled");
  });

  it("forms are filled in, field by field, and checked", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "form"], { ...where(), terminal });
    for (const [question, typed] of [
      ["Name", "\nAda\n"],
      ["Size", "many\n3\n"],
      ["Colour", "2\n"],
      ["Sure", "y\n"],
      ["Send this", "\n"],
    ] as const) {
      await terminal.output.waitFor(question);
      terminal.type(typed);
    }
    expect(JSON.parse((await ended).out)).toEqual({
      action: "accept",
      content: { name: "Ada", size: 3, colour: "green", sure: true },
    });
    expect(terminal.output.text).toContain("node asks: Which one?");
    expect(terminal.output.text).toContain("Please enter a whole number.");
  });

  it.each([
    ["y\n", "accept"],
    ["\n", "decline"],
  ])("an address is shown with its host and never opened; %j is %s", async (typed, action) => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "url"], { ...where(), terminal });
    await terminal.output.waitFor("Will you open it?");
    expect(terminal.output.text).toContain("host: example.com\n  https://example.com/login?x=1\n");
    terminal.type(typed);
    expect((await ended).out).toBe(action);
  });

  it("forms can be declined, and are not offered without a terminal", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "form"], { ...where(), terminal });
    await terminal.output.waitFor("Name");
    terminal.type("Ada\n\n1\n\nn\n");
    expect(JSON.parse((await ended).out)).toEqual({ action: "decline" });
    expect((await prompt("form")).out).toBe("-32601");
  });
});

describe("settings of a project", () => {
  it("are asked about on a terminal, and what they would start is shown", async () => {
    const other = await scratch();
    const options = { home: other.home, cwd: other.cwd };
    await mkdir(join(other.cwd, ".dragoman"));
    const [, line = ""] = withAgent();
    const [command, ...args] = line.split(" ");
    const settings = { agent_servers: { theirs: { command, args } } };
    await writeFile(join(other.cwd, ".dragoman/settings.json"), JSON.stringify(settings));

    const terminal = new FakeTerminal();
    const first = start(["hello"], { ...options, terminal });
    await terminal.output.waitFor("Trust them");
    expect(terminal.output.text).toContain(`agent theirs: ${line}`);
    terminal.type("y\n");
    expect((await first.ended).out).toBe("Hello, world");
    expect((await run(["hello"], options)).out).toBe("Hello, world");
    await other.remove();
  });

  it("can be left by Ctrl-C", async () => {
    const other = await scratch();
    await mkdir(join(other.cwd, ".dragoman"));
    await writeFile(join(other.cwd, ".dragoman/settings.json"), '{"agent_servers":{}}');
    const terminal = new FakeTerminal();
    const { io, ended } = start(["hello"], { home: other.home, cwd: other.cwd, terminal });
    await terminal.output.waitFor("Trust them");
    io.signal("SIGINT");
    expect((await ended).code).toBe(130);
    await other.remove();
  });
});

import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { FakeTerminal } from "../../support/io.ts";
import { events, run, start, withAgent } from "../../support/run.ts";
import { foldersForAll } from "../setup.ts";

const folders = foldersForAll();
describe("a chat", () => {
  const chat = (stdin: string, ...argv: string[]) =>
    run(["chat", ...withAgent(), ...argv], { ...folders, stdin });
  const typing = (line: string) => {
    const stdin = new PassThrough();
    stdin.write(line);
    const options = { ...folders, stdin, stdinKind: "pipe" } as const;
    return { stdin, ...start(["chat", ...withAgent()], options) };
  };

  it("has several turns in one session", async () => {
    const { code, out } = await chat("hello\nsettings\n");
    expect({ code, out }).toEqual({ code: 0, out: "Hello, world\nask small false\n" });
  });
  it("has its own commands", async () => {
    const { out, err } = await chat(
      "/mode code\n/model large\n/permissions write on\nedit\nsettings\n/help\n/exit\nhello\n",
    );
    expect(out).toBe("once\ncode large false\n");
    expect(err).toContain("* code\n");
    expect(err).toContain("* large\n");
    expect(err).toContain("writing        allowed\n");
    expect(err).toMatch(/^COMMAND +DESCRIPTION\n/m);
    expect(err).toMatch(/^\/permissions +show what is allowed/m);
  });
  it("sends other slash commands to the agent, and joins lines that end in a backslash", async () => {
    const { out } = await chat("/plan it\nfirst\\\nsecond\n");
    expect(out).toBe("you said: /plan it\nyou said: first\nsecond\n");
  });
  it("sends an agent's command that has the name of its own command with two slashes", async () => {
    expect((await chat("//mode code\n")).out).toBe("you said: /mode code\n");
    expect((await chat("// a comment\n")).out).toBe("you said: // a comment\n");
  });
  it("continues after a failed turn or an invalid command", async () => {
    const { code, out, err } = await chat("error\n/mode nope\n/permissions nope\nhello\n");
    expect({ code, out }).toEqual({ code: 0, out: "Hello, world\n" });
    expect(err).toContain("model exploded");
    expect(err).toContain('unknown mode "nope"');
    expect(err).toContain('"nope" is not one of write, exec, yolo');
  });
  it("shows all changes of the session", async () => {
    const { err } = await chat("/diff\nstory\n/diff\n");
    expect(err).toContain("the agent has reported no changes in this session\n");
    expect(err).toMatch(/Done|a\.txt\n {2}@@ -1,2 \+1,2 @@\n {3}one\n {2}-two\n {2}\+2\n$/);
  });
  it("says why it cannot undo or copy", async () => {
    const { err } = await chat("/undo\n/copy\nhello\n/copy\n");
    expect(err).toContain("node cannot undo a turn: it offers neither /undo nor /rewind\n");
    expect(err).toContain("there is no answer to copy yet\n");
    expect(err).toContain("/copy needs a terminal\n");
  });
  it("undoes with the agent's own command", async () => {
    const argv = ["chat", ...withAgent("commands-first", "undo-command")];
    const { out } = await run(argv, { ...folders, stdin: "hello\n/undo\n" });
    expect(out).toBe("Hello, world\nyou said: /undo\n");
  });
  it("continues another session", async () => {
    const lines = "hello\n/resume nope\n/resume kept\nhello\n/resume\n";
    const { out, err } = await chat(lines, "-o", "events");
    const results = events(out).filter(({ type }) => type === "result");
    expect(results.map(({ sessionId }) => sessionId)).toEqual(["s1", "kept"]);
    expect(err).toContain("cannot reopen the session: Session not found");
    expect(err).toContain("use /resume ID\n");
  });
  it("takes a first prompt from the command line", async () => {
    expect((await chat("hello\n", "settings")).out).toBe("ask small false\nHello, world\n");
  });
  it("writes a result event for every turn", async () => {
    const { out } = await chat("hello\nedit\n", "-o", "events");
    const results = events(out).filter(({ type }) => type === "result");
    expect(results).toMatchObject([
      { text: "Hello, world", denied: [] },
      { text: "no", denied: [{ hint: "--write" }] },
    ]);
  });
  it("cancels the turn on the first Ctrl-C and continues", async () => {
    const { stdin, io, ended } = typing("hang\n");
    await io.out.waitFor("waiting");
    io.signal("SIGINT");
    await io.err.waitFor("[stopped] cancelled");
    stdin.end("hello\n");
    expect(await ended).toMatchObject({ code: 0, out: "waiting\nHello, world\n" });
  });
  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("ends on %s while it waits for a line", async (name, code) => {
    const { io, ended } = typing("hello\n");
    await io.out.waitFor("world");
    io.signal(name);
    expect((await ended).code).toBe(code);
  });
  it("asks for permission on the terminal", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start(["chat", ...withAgent()], { ...folders, stdin: "edit\n", terminal });
    await terminal.output.waitFor("Choose");
    terminal.type("1\n");
    expect((await ended).out).toBe("once\n");
  });
});

// A chat with an agent of ACP v2, which may work although no turn is running.
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { hasPty, openPty, type Pty } from "../../../../support/pty.ts";
import { hasTmux, openTmux } from "../../../../support/tmux.ts";
import { FakeTerminal, type FakeIoOptions } from "../../support/io.ts";
import { leave, processEnv, visible } from "../../support/process.ts";
import { events, start } from "../../support/run.ts";
import { builtBin, foldersForAll } from "../setup.ts";

const AGENT = fileURLToPath(
  new URL("../../../../support/agents/sdk-v2-agent.mjs", import.meta.url),
);
const v2 = ["chat", "--agent-command", `node ${AGENT}`, "--protocol", "2"];

const bin = builtBin();
const folders = foldersForAll();

function chat(argv: readonly string[] = [], options: FakeIoOptions = {}) {
  const stdin = new PassThrough();
  const { home, cwd } = folders;
  const { io, ended } = start([...v2, ...argv], {
    home,
    cwd,
    stdin,
    stdinKind: "pipe",
    ...options,
  });
  return { io, ended, type: (line: string) => stdin.write(`${line}\n`), end: () => stdin.end() };
}

describe("a chat with an agent of v2", () => {
  it("shows what the agent does by itself after a turn, and then the next turn", async () => {
    const { io, ended, type, end } = chat();
    type("later");
    await io.out.waitFor("By myself: done\n");
    type("hello");
    await io.out.waitFor("world");
    end();
    expect(await ended).toMatchObject({ code: 0, out: "Later.\nBy myself: done\nHello, world\n" });
  });

  it("prints it as events, without a result of its own", async () => {
    const { io, ended, type, end } = chat(["-o", "events"]);
    type("later");
    await io.out.waitFor(/"text":"done".*\n.*"state":"idle"/);
    end();
    const types = events((await ended).out).map(({ type: name }) => name);
    expect(types.slice(types.indexOf("result"))).toEqual([
      "result",
      "state",
      "text",
      "text",
      "state",
    ]);
  });

  it("waits for it at the end of the input", async () => {
    const { io, ended, type, end } = chat();
    type("later hang");
    await io.out.waitFor("working by myself");
    end();
    io.signal("SIGINT");
    expect(await ended).toMatchObject({
      code: 0,
      out: "Later.\nworking by myself and stopping\n",
    });
  });

  it("cancels it on Ctrl-C and continues", async () => {
    const { io, ended, type, end } = chat();
    type("later hang");
    await io.out.waitFor("working by myself");
    io.signal("SIGINT");
    await io.out.waitFor("and stopping\n");
    type("hello");
    await io.out.waitFor("world");
    end();
    const { code, err } = await ended;
    expect(code).toBe(0);
    expect(err).toContain("asking node to cancel; press Ctrl-C again to end the chat");
  });

  it("ends on a second Ctrl-C", async () => {
    const { io, ended, type } = chat();
    type("later hang");
    await io.out.waitFor("working by myself");
    io.signal("SIGINT");
    io.signal("SIGINT");
    expect((await ended).code).toBe(130);
  });

  it("asks for permission outside a turn", async () => {
    const terminal = new FakeTerminal();
    const { io, ended, type, end } = chat([], { terminal });
    type("later ask");
    await terminal.output.waitFor("Choose");
    expect(terminal.output.text).toContain("node asks for permission: While you wait?");
    terminal.type("1\n");
    await io.out.waitFor("asked: once");
    end();
    expect((await ended).code).toBe(0);
  });

  it("reports background work when it starts and when the chat ends it", async () => {
    const { io, ended, type, end } = chat();
    type("background");
    await io.err.waitFor("[background] npm run dev\n");
    type("hello");
    await io.out.waitFor("world");
    end();
    const { err } = await ended;
    expect(err.match(/\[background\]/g)).toHaveLength(1);
    expect(err).toContain("its background work with it: npm run dev");
  });

  it("does not show the history of a resumed session", async () => {
    const { io, ended, type, end } = chat(["--resume", "stored"]);
    type("hello");
    await io.out.waitFor("world");
    end();
    expect((await ended).out).toBe("Hello, world\n");
  });
});

describe.runIf(hasTmux)("on the screen, a chat with an agent of v2", () => {
  it("keeps the line that the user types while the agent works by itself", async () => {
    const terminal = openTmux(["node", bin.file, ...v2], {
      cwd: folders.cwd,
      env: processEnv(folders),
    });
    try {
      await terminal.waitFor(/^>$/m);
      terminal.enter("later plain 300");
      await terminal.waitFor(/^Later\.$/m);
      terminal.type("hel");
      await terminal.waitFor(/^By myself: done\n> hel\n/m);
      terminal.enter("lo");
      await terminal.waitFor(/^By myself: done\n> hello\nHello, world\n\[done\] [\d.]+ s\n>\n/m);
      terminal.press("C-d");
      expect(await terminal.ended()).toBe(0);
    } finally {
      await terminal.close();
    }
  });
});

describe.runIf(hasPty)("on a terminal, a chat with an agent of v2", () => {
  const open = (): Pty =>
    openPty(["node", bin.file, ...v2], { cwd: folders.cwd, env: processEnv(folders) });

  it("cancels on Ctrl-C what the agent does by itself, and goes on", async () => {
    const pty = open();
    await pty.reply("> ", "later hang\r");
    await pty.reply("working by myself", "\u0003");
    await pty.waitFor("and stopping");
    await pty.reply("> ", "hello\r");
    await pty.waitFor("Hello, world");
    await leave(pty);
    expect(visible(pty.shown)).toContain("dragoman: node works by itself; Ctrl-C cancels that\n");
  });

  it("asks for permission over the line that the user types, and gives it back", async () => {
    const pty = open();
    await pty.reply("> ", "later ask\r");
    await pty.waitFor("While you wait?");
    await pty.reply("Choose 1-2", "1\n");
    await pty.waitFor("asked: once");
    await pty.reply("> ", "hello\r");
    await pty.waitFor("Hello, world");
    await leave(pty);
  });

  it("shows a permission question with the agent's words, and Ctrl-C cancels the turn", async () => {
    const pty = open();
    await pty.reply("> ", "edit\r");
    await pty.waitFor("| May I change one line?");
    await pty.reply("Choose 1-2", "\u0003");
    await pty.waitFor("[stopped]");
    await leave(pty);
    expect(pty.shown).not.toContain("\u001b[2J");
  });
});

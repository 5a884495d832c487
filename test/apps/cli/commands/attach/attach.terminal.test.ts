import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hasPty, openPty, type Pty } from "../../../../support/pty.ts";
import { hasTmux, openTmux } from "../../../../support/tmux.ts";
import { leave, processEnv } from "../../support/process.ts";
import { buildWarmBin, warm, type WarmUser, warmUser } from "../../support/warm.ts";
import { builtBin } from "../setup.ts";

const bin = builtBin(buildWarmBin);
let user: WarmUser;
beforeEach(async () => {
  user = await warmUser(bin);
});
afterEach(() => user.remove());

function place() {
  const env = { ...processEnv(user.folders), XDG_RUNTIME_DIR: user.runtime };
  return { cwd: user.folders.cwd, env };
}

function attach(...argv: readonly string[]): Pty {
  return openPty(["node", bin.file, "attach", ...argv], place());
}

describe.runIf(hasPty)("dragoman attach on a terminal", () => {
  it("joins the only session, shows the past, takes prompts, and leaves with Ctrl-D", async () => {
    await user.run(warm("hello"));
    const pty = attach();
    await pty.waitFor(/\[prompt\]\S* hello/);
    await pty.waitFor("Hello, world");
    await pty.reply("> ", "blocks\r");
    await pty.waitFor('[{"type":"text","text":"blocks"}]');
    await leave(pty);
    expect(await user.hubs()).toMatchObject([{ sessions: [{ sessionId: "s1", controllers: 0 }] }]);
  });

  it("follows the turn of another client, and Ctrl-C cancels it", async () => {
    const owner = user.start(warm("hang"));
    await owner.io.out.waitFor("waiting");
    const pty = attach("s1");
    await pty.waitFor(/\[prompt\]\S* hang/);
    await pty.waitFor("waiting");
    await pty.waitFor("Ctrl-D leaves");
    await pty.reply("another client waits for the answer", "\u0003");
    const { code, err } = await owner.ended;
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("[stopped] cancelled") });
    // The prompt takes the place of the row that said that another client waits.
    await pty.reply("\u001b[K\u001b[1m> ", "\u0003");
    await pty.waitFor("press Ctrl-C again or Ctrl-D to leave the session");
    await pty.reply("> ", "\u0003");
    expect(await pty.ended).toEqual({ code: 130, restored: true });
  });

  it("answers the questions of the agent", async () => {
    await user.run(warm("hello"));
    const pty = attach("s1");
    await pty.waitFor("Hello, world");
    await pty.reply("> ", "edit\r");
    await pty.reply("Choose 1-3", "1\r");
    await pty.waitFor("once");
    await pty.reply("> ", "\u0004");
    expect((await pty.ended).code).toBe(0);
  });

  it("only watches with --observe", async () => {
    await user.run(warm("hello"));
    const pty = attach("--observe");
    await pty.waitFor("you only watch this session; Ctrl-D leaves the session");
    await user.run(warm("-c", "story"));
    await pty.waitFor(/\[prompt\]\S* story/);
    await pty.reply("Done.", "\u0004");
    expect((await pty.ended).code).toBe(0);
  });

  it("lets the user choose among several sessions", async () => {
    await user.run(["--warm", "1m", "-a", "demo", "-o", "simple", "hello"]);
    await user.run(warm("hello"));
    const pty = attach();
    await pty.waitFor(/1 {2}s1 \(node, idle\)/);
    await pty.reply("Which session? [1-2] ", "9\r");
    await pty.reply("Please type a number.", "1\r");
    await pty.waitFor("Hello, world");
    await pty.reply("> ", "\u0004");
    expect((await pty.ended).code).toBe(0);
  });
});

it.runIf(hasTmux)("keeps the prompt that is being typed below the work of others", async () => {
  await user.run(warm("hello"));
  const tmux = openTmux(["node", bin.file, "attach", "s1"], place());
  await tmux.waitFor("Hello, world");
  await tmux.waitFor(/^>$/m);
  tmux.type("blo");
  await tmux.waitFor(/^> blo$/m);
  await user.run(warm("-c", "pause"));
  await tmux.waitFor(/before[^]*and after[^]*^> blo$/m);
  tmux.enter("cks");
  await tmux.waitFor('[{"type":"text","text":"blocks"}]');
  await tmux.waitFor(/^>$/m);
  tmux.press("C-d");
  expect(await tmux.ended()).toBe(0);
  await tmux.close();
});

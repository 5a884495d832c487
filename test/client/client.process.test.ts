import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  AcpClient,
  ConnectionError,
  localTerminals,
  SpawnError,
  StartError,
  type AcpClientConfig,
} from "../../src/entries/dragoman.ts";
import type { ConnectionConfig } from "../../src/client/index.ts";

const script = fileURLToPath(new URL("../support/agents/misbehaving.mjs", import.meta.url));
const cwd = tmpdir();

async function start(
  mode: string,
  argument = "",
  config: ConnectionConfig = {},
): Promise<AcpClient> {
  const command: AcpClientConfig = {
    ...config,
    command: process.execPath,
    args: [script, mode, argument],
    stages: { eofMs: 300, termMs: 300 },
  };
  const client = await AcpClient.start(command);
  onTestFinished(async () => {
    await client.close();
  });
  return client;
}

async function startSession(...given: Parameters<typeof start>) {
  const client = await start(...given);
  return { client, session: await client.newSession({ cwd }) };
}

const exitedWith3 = {
  name: "ConnectionError",
  reason: {
    kind: "exited",
    exit: { code: 3, signal: null },
    stderr: "first line\nthe last words\n",
  },
};

describe("an agent that dies", () => {
  it.each(["crash-start", "crash-initialize"])("in the mode %s fails the start", async (mode) => {
    const error = await start(mode).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(StartError);
    expect(error).toMatchObject({ cause: exitedWith3 });
    expect(String(error)).toContain("exited with code 3");
    expect(String(error)).toContain("the last words");
  });

  it("on session/new fails the call and closes the client", async () => {
    const client = await start("crash-new");
    await expect(client.newSession({ cwd })).rejects.toMatchObject(exitedWith3);
    expect(await client.closed).toMatchObject(exitedWith3.reason);
    await expect(client.newSession({ cwd })).rejects.toBeInstanceOf(ConnectionError);
  });

  it.each(["crash-prompt", "crash-mid-turn"])(
    "in the mode %s ends everything that is open",
    async (mode) => {
      const { client, session } = await startSession(mode);
      const other = await client.newSession({ cwd });
      const events = other.updates();
      const waiting = events.next();
      const turn = session.prompt("go");
      const queued = session.prompt("next", { whenBusy: "wait" });
      const seen: string[] = [];
      const loop = (async () => {
        for await (const { text } of turn) seen.push(text);
      })();
      await expect(loop).rejects.toMatchObject(exitedWith3);
      await expect(turn.result).rejects.toMatchObject(exitedWith3);
      await expect(queued.result).rejects.toMatchObject(exitedWith3);
      await expect(waiting).rejects.toMatchObject(exitedWith3);
      expect(seen).toEqual(mode === "crash-mid-turn" ? ["I was about to"] : []);
      expect([session.state, session.turnState]).toEqual(["closed", "idle"]);
      await expect(other.prompt("x").result).rejects.toThrow("closed");
      expect(client.sessions).toEqual([]);
    },
  );

  it("from a signal is reported with that signal", async () => {
    const { session } = await startSession("killed");
    await expect(session.prompt("go").text()).rejects.toMatchObject({
      reason: { kind: "exited", exit: { code: null, signal: "SIGKILL" } },
    });
  });

  it("during a cancel fails the turn with its exit status", async () => {
    const { session } = await startSession("crash-cancel");
    const turn = session.prompt("go");
    for await (const _ of turn) break;
    await expect(turn.result).rejects.toMatchObject(exitedWith3);
  });

  it("only on its stdout is shut down", async () => {
    const { client, session } = await startSession("close-stdout");
    await expect(session.prompt("go").result).rejects.toMatchObject({ reason: { kind: "failed" } });
    await client.closed;
  });
});

describe("a program that is not an agent", () => {
  const refusal = "error: unknown option --acp";

  it("and exits fails the start with the lines on its stdout", async () => {
    const error = await start("print-and-exit", `usage: x\n\u001b]0;title\u0007${refusal}`).catch(
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({
      name: "StartError",
      cause: { name: "ConnectionError", reason: { exit: { code: 2 } } },
      stdout: `usage: x\n\u241b]0;title\u2407${refusal}`,
    });
    expect(String(error)).toContain("exited with code 2");
    expect(String(error)).toMatch(/last lines of stdout:\nusage: x\n.*unknown option --acp$/);
  });

  it("and keeps running is recognized before the start limit", async () => {
    const limits = { timeouts: { startMs: 4000 } };
    const error = await start("print-and-wait", `${refusal}\n`, limits).catch(
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({ cause: { name: "NotAnAgentError", ms: 1000 }, stdout: refusal });
    expect(String(error)).toContain(refusal);
  });

  it("keeps secrets out of the message", async () => {
    const secret = `sk-ant-${"a1".repeat(20)}`;
    await expect(start("print-and-exit", `bad key ${secret}\n`)).rejects.toThrow(
      /bad key (?!sk-ant)/,
    );
  });
});

describe("a command that cannot start", () => {
  it.each([
    [{ command: "no-such-agent-anywhere" }, "not-found"],
    [{ command: "no-such-agent --acp" }, "not-found"],
    [{ command: process.execPath, cwd: "/no/such/folder" }, "bad-cwd"],
  ])("fails the start: %j", async (command, failure) => {
    const error = await AcpClient.start(command).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(StartError);
    expect(error).toMatchObject({ cause: expect.any(SpawnError) });
    expect(error).toMatchObject({ cause: { failure } });
    expect(String(error).includes('"args"')).toBe(command.command.includes(" "));
  });
});

describe("an agent that hangs", () => {
  it("in initialize is abandoned", async () => {
    const error = await start("hang-initialize", "", { timeouts: { startMs: 400 } }).catch(
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({ name: "StartError", cause: { limit: "startMs" } });
  });

  it("in session/new leaves the client usable", async () => {
    const client = await start("hang-new", "", { timeouts: { requestMs: 100 } });
    await expect(client.newSession({ cwd })).rejects.toMatchObject({ limit: "requestMs" });
    expect(await client.close()).toMatchObject({ kind: "closed", exit: { code: 0 } });
  });

  it("after a cancel is shut down if asked", async () => {
    const { client, session } = await startSession("ignore-cancel", "", {
      timeouts: { cancelGraceMs: 100 },
      onCancelIgnored: "client",
    });
    const other = await client.newSession({ cwd });
    const turn = session.prompt("go");
    await turn.cancel();
    await expect(turn.result).rejects.toMatchObject({ code: "cancel_ignored" });
    expect(await client.closed).toMatchObject({ kind: "closed" });
    expect(other.state).toBe("closed");
  });

  it("after the end of its input is terminated", async () => {
    const client = await start("ignore-eof");
    expect(await client.close()).toMatchObject({ kind: "closed", exit: { signal: "SIGTERM" } });
  });
});

describe("an agent with unusual output", () => {
  it.each([
    ["garbage", "one two"],
    ["split", "naïve 🦜 日本語 "],
    ["reuse-ids", "2 answers"],
  ])("in the mode %s is understood", async (mode, text) => {
    const { session } = await startSession(mode);
    const turn = session.prompt("go");
    expect(await turn.text()).toBe(text);
    expect(await turn.result).toMatchObject({ stopReason: "end_turn" });
  });

  it("can flood the client without any loss", async () => {
    const { session } = await startSession("flood", "20000", { maxBuffered: 64 });
    let next = 0;
    for await (const { text } of session.prompt("go")) expect(text).toBe(`${next++} `);
    expect(next).toBe(20_000);
  });

  it("can send late updates, which belong to the session and not to the turn", async () => {
    const { session } = await startSession("late", "3");
    const events = session.updates();
    const turn = session.prompt("go");
    expect(await turn.text()).toBe("");
    const seen: string[] = [];
    for await (const event of events) {
      seen.push(event.text === "" ? event.type : event.text);
      if (event.type === "usage_update") break;
    }
    expect(seen.slice(0, 2)).toEqual(["turn_started", "turn_ended"]);
    expect(seen.slice(2)).toEqual(["late 0 ", "late 1 ", "late 2 ", "usage_update"]);
    expect(session.contextUsage).toMatchObject({ used: 1 });
  });

  it("can print a banner before it answers", async () => {
    const client = await start("banner", "welcome\n");
    expect(client.agent.info).toMatchObject({ name: "misbehaving" });
  });

  it("fails the start if it speaks another version, and the error names both", async () => {
    await expect(start("version", "7")).rejects.toThrow(/version 7.*version 1/);
  });
});

describe("an agent with unusual requests", () => {
  it("gets both answers if it asks twice at once", async () => {
    const { session } = await startSession("ask-twice", "", {
      permissions: async () => "allow" as const,
    });
    const chosen = { outcome: "selected", optionId: "yes" };
    expect(JSON.parse(await session.prompt("go").text())).toEqual([chosen, chosen]);
  });

  it("loses terminals that it forgot when the session ends", async () => {
    const events: string[] = [];
    const { session } = await startSession("leak-terminal", "sleep 600", {
      permissions: "all",
      terminal: localTerminals(),
      onTerminal: ({ type }) => events.push(type),
    });
    expect(await session.prompt("go").text()).not.toBe("none");
    await session.close();
    expect(events.at(0)).toBe("created");
    expect(events).toContain("exited");
  });
});

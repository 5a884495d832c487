// `turn.terminal` on the draft of ACP v2: the command runs on the agent's machine.
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Terminal } from "../../../src/entries/agent.ts";
import { deferred } from "../../../src/base/index.ts";
import { codeOf } from "../../support/sdk-v2-client.ts";
import { isAlive, untilNone } from "../../base/process/alive.ts";
import { promptAgent } from "../definitions.ts";
import { servedOnV2 } from "./served.ts";

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-v2-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A command that writes its process id and that of a child, prints a line and waits. */
const WAITS = { command: "sh", args: ["-c", "sleep 300 & echo $$ $! > pids; echo up; wait"] };

function pidsIn(folder: string): number[] {
  return readFileSync(join(folder, "pids"), "utf8").trim().split(" ").map(Number);
}

describe.runIf(process.platform === "linux")("a terminal on v2", () => {
  it("is reported with its command, its output as bytes and its exit", async () => {
    const client = await servedOnV2(async (turn) => {
      expect(turn.client.can("terminal")).toBe(true);
      const terminal = await turn.terminal({
        command: "sh",
        args: ["-c", "printf '\\342\\234\\223 %s' \"$WORD\"; exit 3"],
        env: { WORD: "done" },
      });
      await turn.toolCall({ title: "Run", content: [terminal.content] });
      expect(await terminal.waitForExit()).toEqual({ exitCode: 3, signal: null });
      expect(await terminal.output()).toEqual({
        output: "✓ done",
        truncated: false,
        exitStatus: { exitCode: 3, signal: null },
      });
    });
    const cwd = await scratch();
    const idle = await client.prompt(await client.newSession({ cwd }), "x");
    expect(idle["stopReason"]).toBe("end_turn");
    const [opened, ended] = client.ofKind("terminal_update");
    const terminalId = opened?.["terminalId"];
    expect(opened).toMatchObject({ cwd, capabilities: { cancel: {} } });
    expect(ended).toEqual({
      sessionUpdate: "terminal_update",
      terminalId,
      exitStatus: { exitCode: 3, signal: null },
      capabilities: null,
    });
    expect(client.output(terminalId)).toBe("✓ done");
    expect(client.ofKind("tool_call_update")[0]).toMatchObject({
      content: [{ type: "terminal", terminalId }],
    });
  });

  it("runs a line without arguments in a shell", async () => {
    const client = await servedOnV2(async (turn) => {
      const terminal = await turn.terminal({ command: "echo one && echo two" });
      await terminal.waitForExit();
      await turn.say((await terminal.output()).output);
    });
    await client.prompt(await client.newSession(), "x");
    expect(client.text()).toBe("one\ntwo\n");
  });

  it("fails with SpawnError if its folder does not exist, and is not reported", async () => {
    const client = await servedOnV2(async (turn) => {
      const cwd = join(turn.session.cwd, "missing");
      await expect(turn.terminal({ command: "true", cwd })).rejects.toMatchObject({
        name: "SpawnError",
        failure: "bad-cwd",
      });
    });
    expect((await client.prompt(await client.newSession(), "x"))["stopReason"]).toBe("end_turn");
    expect(client.ofKind("terminal_update")).toEqual([]);
  });

  it("ends with the turn, together with everything it started", async () => {
    const client = await servedOnV2(async (turn) => {
      await turn.terminal(WAITS);
      await client.update(({ sessionUpdate }) => sessionUpdate === "terminal_output_chunk");
    });
    const cwd = await scratch();
    await client.prompt(await client.newSession({ cwd }), "x");
    expect(pidsIn(cwd).filter(isAlive)).toEqual([]);
    expect(client.log().slice(-2)).toEqual(["terminal_update", "idle end_turn"]);
    expect(client.ofKind("terminal_update").at(-1)).toMatchObject({
      exitStatus: { signal: "SIGTERM" },
    });
  });

  it("ends with a cancelled turn, before the turn is over", async () => {
    const client = await servedOnV2(async (turn) => {
      const terminal = await turn.terminal(WAITS);
      await terminal.waitForExit();
    });
    const cwd = await scratch();
    const sessionId = await client.newSession({ cwd });
    const from = client.frames.length;
    await client.send(sessionId, "x");
    await client.update(({ sessionUpdate }) => sessionUpdate === "terminal_output_chunk", from);
    await client.cancel(sessionId);
    expect((await client.idle(from))["stopReason"]).toBe("cancelled");
    expect(pidsIn(cwd).filter(isAlive)).toEqual([]);
  });

  it("can be cancelled by the client alone", async () => {
    const client = await servedOnV2(async (turn) => {
      const terminal = await turn.terminal(WAITS);
      const { signal } = await terminal.waitForExit();
      await turn.say(`ended by ${signal}`);
    });
    const sessionId = await client.newSession({ cwd: await scratch() });
    await client.send(sessionId, "x");
    const { terminalId } = await client.update(
      ({ sessionUpdate }) => sessionUpdate === "terminal_output_chunk",
    );
    const item = { sessionId, terminalId };
    expect(await client.call("terminal/cancel", item)).toEqual({});
    expect((await client.idle())["stopReason"]).toBe("end_turn");
    expect(client.text()).toBe("ended by SIGTERM");
    expect(await codeOf(client.call("terminal/cancel", item))).toBe(-32602);
    expect(await codeOf(client.call("terminal/cancel", { sessionId }))).toBe(-32602);
  });

  it("goes on in the background of the session until it closes", async () => {
    const client = await servedOnV2(async (turn) => {
      if (turn.text === "start") await turn.terminal({ ...WAITS, background: true });
    });
    const cwd = await scratch();
    const sessionId = await client.newSession({ cwd });
    const started = await client.prompt(sessionId, "start");
    const [opened] = client.ofKind("terminal_update");
    const item = { type: "terminal", terminalId: opened?.["terminalId"] };
    expect(started).toMatchObject({ state: "idle", background: [item] });
    await client.update(({ sessionUpdate }) => sessionUpdate === "terminal_output_chunk");
    await client.send(sessionId, "other");
    await client.cancel(sessionId);
    const pids = pidsIn(cwd);
    expect(pids.filter(isAlive)).toEqual(pids);
    const from = client.frames.length;
    await client.call("session/close", { sessionId });
    await untilNone(() => pids.filter(isAlive));
    expect(client.log(from).slice(-3)).toEqual(["terminal_update", "idle", "result"]);
    expect(client.updates(from).at(-1)).toMatchObject({ background: [] });
  });

  it("does not outlive its connection", async () => {
    const opened = deferred<Terminal>();
    const client = await servedOnV2(async (turn) => {
      const terminal = await turn.terminal({ ...WAITS, background: true });
      opened.resolve(terminal);
    });
    const cwd = await scratch();
    await client.prompt(await client.newSession({ cwd }), "x");
    await client.update(({ sessionUpdate }) => sessionUpdate === "terminal_output_chunk");
    const pids = pidsIn(cwd);
    await client.close();
    await untilNone(() => pids.filter(isAlive));
  });

  it("is not available if the session's folders are elsewhere", async () => {
    const client = await servedOnV2(
      promptAgent(
        async (turn) => {
          expect(turn.client.can("terminal")).toBe(false);
          await expect(turn.terminal({ command: "true" })).rejects.toMatchObject({
            code: "unsupported",
          });
        },
        { localWorkspaces: false },
      ),
    );
    expect((await client.prompt(await client.newSession(), "x"))["stopReason"]).toBe("end_turn");
  });
});

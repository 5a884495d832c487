import { describe, expect, it } from "vitest";
import {
  ProtocolViolation,
  UnsupportedByClientError,
  type ClientCapability,
  type Turn,
} from "../../src/entries/agent.ts";
import { optionsFor, toAnswer } from "../../src/agent/turn/permission.ts";
import { promptAgent } from "./definitions.ts";
import { EVERYTHING, serve, type Answer, type Json } from "./harness.ts";

/** Runs one turn with a client that offers everything, and gives what its code gave. */
async function inTurn<T>(
  work: (turn: Turn<object>) => Promise<T>,
  answers: Record<string, Answer> = {},
  capabilities: Json = EVERYTHING,
) {
  let given: { value: T } | undefined;
  const served = await serve(
    promptAgent(async (turn) => {
      given = { value: await work(turn) };
    }),
    { capabilities, answers },
  );
  const sessionId = await served.client.newSession();
  await served.client.prompt(sessionId, "x");
  if (!given) throw new Error("the turn gave nothing");
  return { ...served, value: given.value, sessionId };
}

const choose = (optionId: string) => () => ({ outcome: { outcome: "selected", optionId } });

describe("what a client did not advertise", () => {
  const uses: [ClientCapability, (turn: Turn<object>) => Promise<unknown>][] = [
    ["fs.readTextFile", (turn) => turn.readFile("/x")],
    ["fs.writeTextFile", (turn) => turn.writeFile("/x", "y")],
    ["terminal", (turn) => turn.terminal({ command: "x" })],
    ["elicitation.form", (turn) => turn.elicit({ message: "m", schema: {} })],
    ["elicitation.url", (turn) => turn.elicitUrl({ message: "m", url: "https://x.example" })],
    ["session.notices", (turn) => turn.notice({ severity: "info", title: "t" })],
    ["session.compaction", (turn) => turn.compaction("c", "in_progress")],
    [
      "session.notices",
      (turn) => turn.update({ sessionUpdate: "notice", severity: "info", title: "t" }),
    ],
  ];
  it.each(uses)("is refused by name: %s", async (capability, use) => {
    const { value, client } = await inTurn(
      async (turn) => ({
        can: turn.client.can(capability),
        error: await use(turn).catch((error: unknown) => error),
      }),
      {},
      {},
    );
    expect(value.can).toBe(false);
    expect(value.error).toBeInstanceOf(UnsupportedByClientError);
    expect(value.error).toMatchObject({ capability, code: "unsupported_by_client" });
    expect(client.log).toEqual([]);
  });

  it("is known beforehand, with who the client is", async () => {
    const { value } = await inTurn(async ({ client }) => ({
      can: client.can("terminal"),
      info: client.info,
      dialect: client.dialect,
      fs: client.capabilities.fs,
    }));
    expect(value).toEqual({
      can: true,
      info: { name: "test", version: "0" },
      dialect: "canonical",
      fs: { readTextFile: true, writeTextFile: true },
    });
  });
});

describe("tool calls", () => {
  it("are announced, changed and settled", async () => {
    const { client } = await inTurn(async (turn) => {
      const call = await turn.toolCall({
        title: "Read",
        kind: "read",
        rawInput: { a: 1 },
        toolCallId: "t1",
      });
      await call.progress({ locations: [{ path: "/x", line: 3 }] });
      await call.update({ content: [{ type: "content", content: { type: "text", text: "c" } }] });
      await call.complete({ rawOutput: 5 });
      expect(call.settled).toBe(true);
      await (await turn.toolCall({ title: "Bad", status: "pending" })).fail({ title: "Worse" });
    });
    expect(client.updates).toMatchObject([
      { sessionUpdate: "tool_call", toolCallId: "t1", title: "Read", status: "in_progress" },
      { toolCallId: "t1", status: "in_progress", locations: [{ path: "/x", line: 3 }] },
      { toolCallId: "t1", content: [{ type: "content" }] },
      { toolCallId: "t1", status: "completed", rawOutput: 5 },
      { sessionUpdate: "tool_call", title: "Bad", status: "pending" },
      { status: "failed", title: "Worse" },
    ]);
  });
});

describe("permission", () => {
  it("is asked after its tool call, with all that is known of it", async () => {
    let asked: Json | undefined;
    const diff = { type: "diff", path: "/x", oldText: "a", newText: "b" } as const;
    const { client, value } = await inTurn(
      (turn) => turn.askPermission({ title: "Edit", kind: "edit", content: [diff] }),
      {
        "session/request_permission": (params) => {
          asked = params;
          return choose("allow_once")();
        },
      },
    );
    expect(value).toMatchObject({ allowed: true, outcome: "selected", optionId: "allow_once" });
    expect(asked).toMatchObject({
      toolCall: { title: "Edit", kind: "edit", content: [diff], status: "pending" },
      options: [{ kind: "allow_once" }, { kind: "reject_once" }],
    });
    expect(client.log).toEqual([
      "update tool_call",
      "session/request_permission",
      "update tool_call_update",
    ]);
    // Allowed and not settled by the author: done with the turn.
    expect(client.updates.at(-1)).toMatchObject({ status: "completed" });
  });

  it("that is refused fails its tool call at once", async () => {
    const { client, value } = await inTurn((turn) => turn.askPermission({ title: "Edit" }), {
      "session/request_permission": choose("reject_once"),
    });
    expect(value).toMatchObject({ allowed: false, outcome: "selected", optionId: "reject_once" });
    expect(client.updates.at(-1)).toMatchObject({ status: "failed" });
  });

  it("is not given by an answer that is none", async () => {
    const { value } = await inTurn(
      (turn) => turn.askPermission({ title: "Edit" }).catch((error: unknown) => error),
      { "session/request_permission": () => ({ outcome: { outcome: "sure" } }) },
    );
    expect(value).toBeInstanceOf(ProtocolViolation);
  });

  it("offers once alone unless told, and the author's own options if given", () => {
    const kinds = (options: readonly { kind: string }[]) => options.map(({ kind }) => kind);
    expect(kinds(optionsFor({}))).toEqual(["allow_once", "reject_once"]);
    expect(kinds(optionsFor({ always: true }))).toEqual([
      "allow_once",
      "reject_once",
      "allow_always",
      "reject_always",
    ]);
    const own = [{ optionId: "x", name: "X", kind: "allow_always" }] as const;
    expect(optionsFor({ options: own })).toEqual(own);
  });

  it.each([
    ["allow_once", true, false],
    ["allow_always", true, true],
    ["reject_once", false, false],
    ["reject_always", false, true],
    ["never_offered", false, false],
  ])("reads the option %s", (optionId, allowed, always) => {
    const options = optionsFor({ always: true });
    expect(toAnswer({ outcome: "selected", optionId }, options)).toEqual({
      allowed,
      always,
      outcome: "selected",
      optionId,
    });
  });
});

describe("files", () => {
  it("are read and written through the client", async () => {
    const asked: Json[] = [];
    const { value, sessionId } = await inTurn(
      async (turn) => {
        await turn.writeFile("/w", "text");
        return [await turn.readFile("/r"), await turn.readFile("/r", { line: 2, limit: 1 })];
      },
      {
        "fs/write_text_file": (params) => {
          asked.push(params);
          return null;
        },
        "fs/read_text_file": (params) => {
          asked.push(params);
          return { content: "c" };
        },
      },
    );
    expect(value).toEqual(["c", "c"]);
    expect(asked).toEqual([
      { sessionId, path: "/w", content: "text" },
      { sessionId, path: "/r" },
      { sessionId, path: "/r", line: 2, limit: 1 },
    ]);
  });
});

describe("terminals", () => {
  const answers: Record<string, Answer> = {
    "terminal/create": () => ({ terminalId: "t1" }),
    "terminal/output": () => ({ output: "out", truncated: false }),
    "terminal/wait_for_exit": () => ({ exitCode: 3 }),
    "terminal/kill": () => ({}),
    "terminal/release": () => ({}),
  };

  it("run, are read, waited for and killed", async () => {
    let created: Json | undefined;
    const { value, client } = await inTurn(
      async (turn) => {
        const terminal = await turn.terminal({
          command: "make",
          args: ["all"],
          env: { A: "b" },
          cwd: "/x",
          outputByteLimit: 10,
        });
        expect(terminal.content).toEqual({ type: "terminal", terminalId: "t1" });
        await terminal.kill();
        const result = [await terminal.output(), await terminal.waitForExit()];
        await terminal.release();
        await terminal.release();
        return result;
      },
      {
        ...answers,
        "terminal/create": (params) => {
          created = params;
          return { terminalId: "t1" };
        },
      },
    );
    expect(created).toMatchObject({
      command: "make",
      args: ["all"],
      env: [{ name: "A", value: "b" }],
      cwd: "/x",
      outputByteLimit: 10,
    });
    expect(value).toEqual([
      { output: "out", truncated: false, exitStatus: undefined },
      { exitCode: 3, signal: null },
    ]);
    expect(client.log.filter((entry) => entry === "terminal/release")).toHaveLength(1);
  });

  it("are released with the turn, before its answer, however it ends", async () => {
    const { client } = await serve(
      promptAgent(async (turn) => {
        await turn.terminal({ command: "x" });
        if (turn.text === "fail") throw new Error("no");
      }),
      {
        capabilities: EVERYTHING,
        answers: { ...answers, "terminal/release": () => new Promise(() => {}) },
      },
    );
    const sessionId = await client.newSession();
    expect(await client.prompt(sessionId, "x")).toBe("end_turn");
    expect(client.log).toEqual(["terminal/create", "terminal/release"]);
    await client.prompt(sessionId, "fail").catch(() => {});
    expect(client.log.slice(2)).toEqual(["terminal/create", "terminal/release"]);
  });
});

describe("questions", () => {
  it("ask for a form", async () => {
    let asked: Json | undefined;
    const { value } = await inTurn(
      (turn) =>
        turn.elicit({
          message: "m",
          schema: { properties: { a: { type: "string" } }, required: ["a"] },
        }),
      {
        "elicitation/create": (params) => {
          asked = params;
          return { action: "accept", content: { a: "b" } };
        },
      },
    );
    expect(value).toEqual({ action: "accept", content: { a: "b" } });
    expect(asked).toMatchObject({
      mode: "form",
      requestedSchema: { type: "object", required: ["a"] },
    });
  });

  it("send to an address and tell when it is done", async () => {
    const { value, client } = await inTurn(
      async (turn) => {
        const answer = await turn.elicitUrl({ message: "m", url: "https://x.example" });
        await answer.complete();
        return answer.action;
      },
      { "elicitation/create": () => ({ action: "accept" }) },
    );
    expect(value).toBe("accept");
    expect(client.log).toEqual(["elicitation/create", "elicitation/complete"]);
  });

  it("are answered cancel when the turn is cancelled", async () => {
    let answered: unknown;
    const { client } = await serve(
      promptAgent(async (turn) => {
        answered = await turn.elicit({ message: "m", schema: {} });
      }),
      { capabilities: EVERYTHING, answers: { "elicitation/create": () => new Promise(() => {}) } },
    );
    const sessionId = await client.newSession();
    const prompt = client.prompt(sessionId, "x");
    await client.seen("elicitation/create");
    await client.cancel(sessionId);
    expect(await prompt).toBe("cancelled");
    expect(answered).toEqual({ action: "cancel" });
  });
});

describe("the rest that can be told", () => {
  it("goes out in the protocol's own form", async () => {
    const { client } = await inTurn(async (turn) => {
      await turn.plan([{ content: "a", priority: "low", status: "pending" }]);
      await turn.usage({ used: 1, size: 2, cost: { amount: 3, currency: "EUR" } });
      await turn.title("T");
      await turn.commands([{ name: "c", description: "d", input: { hint: "h" } }]);
      await turn.mode("m");
      await turn.configOptions([{ id: "b", name: "B", type: "boolean", currentValue: true }]);
      await turn.notice({ severity: "warning", title: "n" });
      await turn.compaction("c", "completed", { summary: "s" });
      await turn.say({ type: "image", data: "AA==", mimeType: "image/png" });
      await turn.update({ sessionUpdate: "current_mode_update", currentModeId: "raw" });
    });
    expect(client.updates.map((update) => update["sessionUpdate"])).toEqual([
      "plan",
      "usage_update",
      "session_info_update",
      "available_commands_update",
      "current_mode_update",
      "config_option_update",
      "notice",
      "compaction_update",
      "agent_message_chunk",
      "current_mode_update",
    ]);
  });

  it("hides boolean options from clients that do not know them", async () => {
    const { client } = await inTurn(
      (turn) => turn.configOptions([{ id: "b", name: "B", type: "boolean", currentValue: true }]),
      {},
      {},
    );
    expect(client.updates).toEqual([{ sessionUpdate: "config_option_update", configOptions: [] }]);
  });

  it("includes extension calls both ways", async () => {
    let heard: unknown;
    const { client } = await serve(
      promptAgent(
        async (turn) => {
          await turn.client.notify("_test/note", { n: 1 });
          heard = await turn.client.call("_test/ask", { n: 2 });
        },
        {
          requests: { "_test/double": (params) => ({ given: params }) },
          notifications: { "_test/tell": (params) => void (heard = params) },
        },
      ),
      { answers: { "_test/ask": () => ({ yes: true }) } },
    );
    await client.prompt(await client.newSession(), "x");
    expect(client.log).toEqual(["_test/note", "_test/ask"]);
    expect(heard).toEqual({ yes: true });
    await client.peer.notify("_test/tell", { said: 1 });
    expect(await client.call("_test/double", { a: 1 })).toEqual({ given: { a: 1 } });
    expect(heard).toEqual({ said: 1 });
  });
});

import { describe, expect, it } from "vitest";
import {
  type AgentDefinition,
  type AgentSession,
  pageOf,
  SessionClosedError,
} from "../../../src/entries/agent.ts";
import type { SessionUpdate } from "../../../src/protocol/acp/index.ts";
import { deferred } from "../../../src/base/index.ts";
import { info, promptAgent } from "../definitions.ts";
import { errorOf, inTurn, type Json, opened, serve, workspace } from "../harness.ts";
import { tmpdir } from "node:os";

describe("a session", () => {
  it("fails a second prompt while the first is running, and the first continues", async () => {
    const gate = deferred();
    const { client, sessionId } = await opened(async (turn) => {
      await turn.say("working");
      await gate.promise;
    });
    const first = client.prompt(sessionId, "one");
    await client.waitFor("update agent_message_chunk");
    expect(await errorOf(client.prompt(sessionId, "two"))).toEqual({
      code: -32600,
      message: "The session is busy with another prompt; wait for it or cancel it first",
      data: { sessionId },
    });
    gate.resolve();
    expect(await first).toBe("end_turn");
    expect(await client.prompt(sessionId, "three")).toBe("end_turn");
  });

  it("runs its turn in parallel with other sessions", async () => {
    const gate = deferred();
    let running = 0;
    const { client } = await serve(async () => {
      if (++running === 2) gate.resolve();
      await gate.promise;
    });
    const [a, b] = [await client.newSession(), await client.newSession()];
    expect(a).not.toBe(b);
    expect(await Promise.all([client.prompt(a, "x"), client.prompt(b, "x")])).toEqual([
      "end_turn",
      "end_turn",
    ]);
  });
});

describe("a prompt while another turn runs", () => {
  /** An agent whose turns end only when their gate opens, even after a cancel. */
  function gated(whenBusy?: "reject" | "wait") {
    const gates: ReturnType<typeof deferred<void>>[] = [];
    const order: string[] = [];
    const definition = promptAgent(async (turn) => {
      order.push(`start ${turn.text}`);
      const gate = deferred();
      gates.push(gate);
      await turn.update({
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: turn.text },
      });
      await gate.promise;
      order.push(`end ${turn.text}`);
    });
    return { definition: { ...definition, whenBusy }, gates, order };
  }

  it("waits for the end of the turn after a cancel", async () => {
    const { definition, gates, order } = gated();
    const { client, sessionId } = await opened(definition);
    const first = client.prompt(sessionId, "one");
    await client.waitFor("update agent_message_chunk");
    await client.peer.notify("session/cancel", { sessionId });
    const second = client.prompt(sessionId, "two");
    // A third one has an uncancelled prompt before it.
    expect(await errorOf(client.prompt(sessionId, "three"))).toMatchObject({ code: -32600 });
    gates[0]?.resolve();
    expect(await first).toBe("cancelled");
    await client.waitFor("update agent_message_chunk");
    gates[1]?.resolve();
    expect(await second).toBe("end_turn");
    expect(order).toEqual(["start one", "end one", "start two", "end two"]);
  });

  it("waits its turn if the agent wants that", async () => {
    const { definition, gates, order } = gated("wait");
    const { client, sessionId } = await opened(definition);
    const prompts = ["one", "two", "three"].map((text) => client.prompt(sessionId, text));
    for (const index of [0, 1, 2]) {
      await client.waitFor("update agent_message_chunk");
      expect(gates).toHaveLength(index + 1);
      gates[index]?.resolve();
      expect(await prompts[index]).toBe("end_turn");
    }
    expect(order).toEqual(["one", "two", "three"].flatMap((n) => [`start ${n}`, `end ${n}`]));
  });

  it("is cancelled with the running turn, at once and without being started", async () => {
    const { definition, gates, order } = gated("wait");
    const { client, sessionId } = await opened(definition);
    const first = client.prompt(sessionId, "one");
    const second = client.prompt(sessionId, "two");
    await client.waitFor("update agent_message_chunk");
    await client.peer.notify("session/cancel", { sessionId });
    expect(await second).toBe("cancelled");
    const third = client.prompt(sessionId, "three");
    gates[0]?.resolve();
    expect(await first).toBe("cancelled");
    await client.waitFor("update agent_message_chunk");
    gates[1]?.resolve();
    expect(await third).toBe("end_turn");
    expect(order).not.toContain("start two");
  });

  it("is refused if a hundred others wait", async () => {
    const { definition, gates } = gated("wait");
    const { client, sessionId } = await opened(definition);
    const waiting = Array.from({ length: 101 }, () => client.prompt(sessionId, "x"));
    expect(await errorOf(client.prompt(sessionId, "x"))).toMatchObject({
      code: -32600,
      message: "More than 100 prompts are waiting",
    });
    await client.waitFor("update agent_message_chunk");
    await client.peer.notify("session/cancel", { sessionId });
    // The answer to any request shows that the cancel has arrived.
    await errorOf(client.peer.call("_example/barrier"));
    gates[0]?.resolve();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["cancelled"]));
  });
});

describe("closing or deleting a session", () => {
  it("cancels the turn, waits for its end and then frees the session", async () => {
    const order: string[] = [];
    let handle: AgentSession<object> | undefined;
    const { client, sessionId } = await opened(
      promptAgent(
        async (turn) => {
          handle = turn.session;
          await turn.say("working");
          await new Promise((resolve) => turn.signal.addEventListener("abort", resolve));
          order.push("turn ended");
        },
        {
          closeSession: () => void order.push("closed"),
          deleteSession: () => void order.push("deleted"),
        },
      ),
    );
    const prompt = client.prompt(sessionId, "x");
    await client.waitFor("update agent_message_chunk");
    expect(await client.call("session/delete", { sessionId })).toEqual({});
    expect(await prompt).toBe("cancelled");
    expect(order).toEqual(["turn ended", "closed", "deleted"]);
    expect(await errorOf(client.prompt(sessionId, "x"))).toMatchObject({ code: -32002 });
    await expect(handle?.title("late")).rejects.toThrow(SessionClosedError);
    expect(await client.call("session/close", { sessionId })).toEqual({});
    expect(order).toHaveLength(3);
  });
});

const chunk = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});

describe("loading a session", () => {
  it.each([
    [
      "a generator",
      promptAgent(async () => {}, {
        async *loadSession() {
          for (let i = 0; i < 3; i++) yield chunk(String(i));
          return {};
        },
      }),
    ],
    [
      "a callback",
      promptAgent(async () => {}, {
        async loadSession({ replay }) {
          for (let i = 0; i < 3; i++) await replay(chunk(String(i)));
          return {};
        },
      }),
    ],
  ])(
    "through %s replays everything before the answer, and then takes prompts",
    async (_, agent) => {
      const { client } = await serve(agent);
      expect(await client.call("session/load", { sessionId: "s", ...workspace })).toEqual({});
      expect(client.text()).toBe("012");
      expect(await client.prompt("s", "x")).toBe("end_turn");
    },
  );

  it("replays 20,000 updates at the client's pace", async () => {
    let made = 0;
    let ahead = 0;
    let received = 0;
    const { client } = await serve(
      promptAgent(async () => {}, {
        async *loadSession() {
          for (; made < 20_000; made++) {
            ahead = Math.max(ahead, made - received);
            yield chunk(`${made} `);
          }
          return {};
        },
      }),
      { onUpdate: () => received++ },
    );
    await client.call("session/load", { sessionId: "s", ...workspace });
    expect(received).toBe(20_000);
    expect(ahead).toBeLessThan(1000);
  });

  it("blocks other requests for the session, and stops if the session is closed", async () => {
    const gate = deferred();
    const { client } = await serve(
      promptAgent(async () => {}, {
        closeSession: () => {},
        async *loadSession({ signal }) {
          yield chunk("a");
          await gate.promise;
          signal.throwIfAborted();
          return {};
        },
      }),
    );
    const params = { sessionId: "s", ...workspace };
    const loading = client.call("session/load", params);
    await client.waitFor("update agent_message_chunk");
    const opening = { code: -32600, message: "The session is being opened" };
    expect(await errorOf(client.call("session/load", params))).toMatchObject(opening);
    expect(await errorOf(client.prompt("s", "x"))).toMatchObject(opening);
    expect(await client.call("session/close", { sessionId: "s" })).toEqual({});
    gate.resolve();
    expect(await errorOf(loading)).toMatchObject({
      code: -32600,
      message: "The session was closed",
    });
    expect(await errorOf(client.prompt("s", "x"))).toMatchObject({ code: -32002 });
  });

  it("fails at once while the session is busy", async () => {
    const gate = deferred();
    const { client, sessionId } = await opened(
      promptAgent(
        async (turn) => {
          await turn.say("working");
          await gate.promise;
        },
        { loadSession: () => ({}) },
      ),
    );
    const prompt = client.prompt(sessionId, "x");
    await client.waitFor("update agent_message_chunk");
    expect(await errorOf(client.call("session/load", { sessionId, ...workspace }))).toMatchObject({
      code: -32600,
    });
    gate.resolve();
    expect(await prompt).toBe("end_turn");
  });
});

describe("resuming a session", () => {
  it("replays nothing", async () => {
    const { client } = await serve(promptAgent(async () => {}, { resumeSession: () => ({}) }));
    expect(await client.call("session/resume", { sessionId: "s", cwd: tmpdir() })).toEqual({});
    expect(client.log).toEqual([]);
    expect(await client.prompt("s", "x")).toBe("end_turn");
  });
});

describe("sessionOpened", () => {
  it("is called once the client knows the session, and not before", async () => {
    const { client } = await serve(
      promptAgent(async () => {}, {
        sessionOpened: (session, how) => session.title(how),
        sessionId: () => "mine",
        forkSession: () => ({}),
        resumeSession: () => ({}),
      }),
      { version: "unstable" },
    );
    const opened = await client.peer.call("session/new", workspace, {
      accept: (result) => ({ result, log: [...client.log] }),
    });
    expect(opened).toEqual({ result: { sessionId: "mine" }, log: [] });
    await client.waitFor("update session_info_update");
    expect(client.updates[0]).toMatchObject({ title: "new" });
    await client.call("session/fork", { sessionId: "mine", cwd: tmpdir() });
    await client.call("session/resume", { sessionId: "mine", cwd: tmpdir() });
  });
});

describe("a session's workspace", () => {
  it("is validated, and the error lists every fault", async () => {
    const { client } = await serve(async () => {});
    const stdio = { name: "s", command: "/c", args: [], env: [] };
    const faults = async (params: object): Promise<unknown> => {
      const error = await errorOf(client.call("session/new", params));
      expect(error["code"]).toBe(-32602);
      const { errors } = error["data"] as { errors: Json[] };
      const listed = errors.map((fault) => `${String(fault["path"])} ${String(fault["message"])}`);
      expect(error["message"]).toBe(`Invalid params: ${listed.join("; ")}`);
      return errors.map((fault) => fault["path"]);
    };
    expect(await faults({})).toEqual(["cwd", "mcpServers"]);
    expect(await faults({ cwd: "relative", mcpServers: [{ name: 1 }] })).toEqual([
      "cwd",
      "mcpServers[0].name",
      "mcpServers[0].command",
      "mcpServers[0].args",
      "mcpServers[0].env",
    ]);
    const gone = `${tmpdir()}/dragoman-not-there`;
    const http = { type: "http", name: "h", url: "https://x.example", headers: [] };
    expect(
      await faults({ cwd: gone, mcpServers: [stdio, http], additionalDirectories: ["/x"] }),
    ).toEqual(["cwd", "additionalDirectories", "mcpServers[1].type"]);
    expect(await faults({ cwd: process.execPath, mcpServers: [] })).toEqual(["cwd"]);
  });

  it("may be elsewhere if the agent says so", async () => {
    const { client } = await serve({ ...promptAgent(async () => {}), localWorkspaces: false });
    const params = { mcpServers: [] };
    await client.call("session/new", { cwd: "/not/on/this/disk", ...params });
    await client.call("session/new", { cwd: "C:\\not\\here", ...params });
    const error = await errorOf(client.call("session/new", { cwd: "relative", ...params }));
    expect(error).toMatchObject({ code: -32602, data: { errors: [{ path: "cwd" }] } });
  });

  it("is passed to newSession", async () => {
    let received: unknown;
    const { client } = await serve({
      info,
      additionalDirectories: true,
      newSession: ({ cwd, additionalDirectories, mcpServers, meta }) => {
        received = { cwd, additionalDirectories, mcpServers, meta };
        return {};
      },
      prompt: async () => {},
    });
    const mcpServers = [{ name: "s", command: "/c", args: ["a"], env: [] }];
    const params = { cwd: tmpdir(), mcpServers, additionalDirectories: ["/x"] };
    await client.call("session/new", { ...params, _meta: { a: 1 } });
    expect(received).toEqual({ ...params, meta: { a: 1 } });
  });
});

describe("a prompt", () => {
  it("fails if it contains content that the agent does not advertise", async () => {
    const { client, sessionId } = await opened(async () => {});
    const prompt = [
      { type: "text", text: "x" },
      { type: "image", data: "", mimeType: "image/png" },
      { type: "resource", resource: { uri: "x:", text: "" } },
    ];
    expect(await errorOf(client.call("session/prompt", { sessionId, prompt }))).toMatchObject({
      code: -32602,
      data: { errors: [{ path: "prompt[1].type" }, { path: "prompt[2].type" }] },
    });
  });
});

describe("modes and config options", () => {
  const agent = (): AgentDefinition<{ mode: string; on: boolean; size: string }> => ({
    info,
    newSession: () => ({ mode: "a", on: false, size: "s" }),
    prompt: async () => {},
    modes: ({ state }) => ({
      currentModeId: state.mode,
      availableModes: [
        { id: "a", name: "A" },
        { id: "b", name: "B" },
      ],
    }),
    setMode: ({ state }, id) => {
      state.mode = id;
    },
    configOptions: ({ state }) => [
      {
        id: "size",
        name: "Size",
        type: "select",
        currentValue: state.size,
        options: [
          {
            group: "g",
            name: "G",
            options: [
              { value: "s", name: "S" },
              { value: "l", name: "L" },
            ],
          },
        ],
      },
      { id: "on", name: "On", type: "boolean", currentValue: state.on },
    ],
    setConfigOption: ({ state }, id, value) => {
      if (typeof value === "boolean") state.on = value;
      else state.size = value;
      expect(id).toBe(typeof value === "boolean" ? "on" : "size");
    },
  });

  it("are part of a new session and change on request", async () => {
    const { client } = await serve(agent(), {
      capabilities: { session: { configOptions: { boolean: {} } } },
    });
    const setup = await client.call("session/new", workspace);
    expect(setup).toMatchObject({
      modes: { currentModeId: "a" },
      configOptions: [{ id: "size" }, { id: "on" }],
    });
    const { sessionId } = setup;
    expect(await client.call("session/set_mode", { sessionId, modeId: "b" })).toEqual({});
    const set = (configId: string, more: object) =>
      client.call("session/set_config_option", { sessionId, configId, ...more });
    expect(await set("size", { value: "l" })).toMatchObject({
      configOptions: [{ currentValue: "l" }, { currentValue: false }],
    });
    expect(await set("on", { type: "boolean", value: true })).toMatchObject({
      configOptions: [{ currentValue: "l" }, { currentValue: true }],
    });
    const fault = async (call: Promise<unknown>) =>
      ((await errorOf(call))["data"] as { errors: Json[] }).errors[0]?.["path"];
    expect(await fault(client.call("session/set_mode", { sessionId, modeId: "c" }))).toBe("modeId");
    expect(await fault(set("nothing", { value: "l" }))).toBe("configId");
    expect(await fault(set("size", { value: "xl" }))).toBe("value");
    expect(await fault(set("on", { value: "true" }))).toBe("value");
  });

  it("leave out booleans for a client that does not support them", async () => {
    const { client } = await serve(agent());
    const setup = await client.call("session/new", workspace);
    expect(setup["configOptions"]).toHaveLength(1);
    const params = { sessionId: setup["sessionId"], configId: "on", type: "boolean", value: true };
    expect(await errorOf(client.call("session/set_config_option", params))).toMatchObject({
      code: -32602,
    });
  });
});

describe("a list of sessions", () => {
  const sessions = Array.from({ length: 120 }, (_, i) => ({ sessionId: `s${i}`, cwd: "/x" }));

  it("is split into pages", async () => {
    const { client } = await serve(
      promptAgent(async () => {}, {
        listSessions: ({ cursor }) => pageOf(sessions, cursor),
      }),
    );
    const listed: unknown[] = [];
    let cursor: unknown;
    do {
      const page = await client.call("session/list", cursor === undefined ? {} : { cursor });
      expect(Array.isArray(page["sessions"])).toBe(true);
      listed.push(...(page["sessions"] as unknown[]));
      cursor = page["nextCursor"];
    } while (cursor !== undefined);
    expect(listed).toEqual(sessions);
    expect(await errorOf(client.call("session/list", { cursor: "mine" }))).toMatchObject({
      code: -32602,
      data: { errors: [{ path: "cursor" }] },
    });
  });

  it("is empty rather than absent if there are no sessions", async () => {
    const { client } = await serve(
      promptAgent(async () => {}, { listSessions: ({ cursor }) => pageOf([], cursor) }),
    );
    expect(await client.call("session/list")).toEqual({ sessions: [] });
  });
});

describe("session updates", () => {
  it("have the kinds that the protocol defines", async () => {
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

  it("leave out boolean options for clients that do not support them", async () => {
    const { client } = await inTurn(
      (turn) => turn.configOptions([{ id: "b", name: "B", type: "boolean", currentValue: true }]),
      {},
      {},
    );
    expect(client.updates).toEqual([{ sessionUpdate: "config_option_update", configOptions: [] }]);
  });
});

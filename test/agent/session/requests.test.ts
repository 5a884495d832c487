import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { info, promptAgent } from "../definitions.ts";
import { errorOf, serve, type Json, opened, workspace } from "../harness.ts";
import { type AgentDefinition, pageOf } from "../../../src/entries/agent.ts";

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

/** The rules of the protocol, over a real pipe, with our client and with the official SDK's client. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EVERYTHING, errorOf, type Answer, type Json } from "./harness.ts";
import { peerDriver, sdkDriver, withBundle, type Driver, type DriverOptions } from "./pipe.ts";

withBundle("src/apps/demo-agent/index.ts");

let cwd = "";
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "dragoman-protocol-"));
  await writeFile(join(cwd, "README.md"), "# Widget\n\nTurns left and right.\n");
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const initialize = (driver: Driver, capabilities: Json = {}, protocolVersion = 1): Promise<Json> =>
  driver.call("initialize", {
    protocolVersion,
    clientCapabilities: capabilities,
    clientInfo: { name: "protocol-test", version: "1" },
  });

const text = (value: string) => [{ type: "text", text: value }];

const drivers: [string, (options?: DriverOptions) => Promise<Driver>][] = [
  ["our peer", peerDriver],
  ["the official SDK's client", sdkDriver],
];

describe.each(drivers)("with %s", (_, start) => {
  /** Starts a driver with an open session. */
  async function startSession(options: DriverOptions & { capabilities?: Json } = {}) {
    const driver = await start(options);
    await initialize(driver, options.capabilities);
    const { sessionId } = await driver.call("session/new", { cwd, mcpServers: [] });
    const prompt = async (value: string): Promise<unknown> =>
      (await driver.call("session/prompt", { sessionId, prompt: text(value) }))["stopReason"];
    return { driver, sessionId, prompt };
  }

  const textFrom = (driver: Driver): string =>
    driver.updates
      .filter((update) => update["sessionUpdate"] === "agent_message_chunk")
      .map((update) => (update["content"] as Json)["text"])
      .join("");

  it("initialize answers with the agent's own version, whatever the client requests", async () => {
    expect(await initialize(await start(), {}, 7)).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "dragoman-demo" },
      agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, close: {} } },
    });
  });

  it("a session without a required sign-in fails with -32000", async () => {
    const driver = await start({ env: { DRAGOMAN_DEMO_AUTH: "1" } });
    expect(await initialize(driver)).toMatchObject({ authMethods: [{ id: "demo" }] });
    const open = () => driver.call("session/new", { cwd, mcpServers: [] });
    expect(await errorOf(open())).toMatchObject({ code: -32000 });
    await driver.call("authenticate", { methodId: "demo" });
    expect(await open()).toHaveProperty("sessionId");
    await driver.call("logout");
    expect(await errorOf(open())).toMatchObject({ code: -32000 });
  });

  it("many sessions can be open, listed in pages and deleted", async () => {
    const { driver, sessionId } = await startSession();
    const ids = new Set([sessionId]);
    for (let i = 0; i < 24; i++) {
      ids.add((await driver.call("session/new", { cwd, mcpServers: [] }))["sessionId"]);
    }
    expect(ids.size).toBe(25);
    const first = await driver.call("session/list", { cwd });
    const second = await driver.call("session/list", { cwd, cursor: first["nextCursor"] });
    const listed = [first, second].flatMap((page) => page["sessions"] as Json[]);
    expect(new Set(listed.map((info) => info["sessionId"]))).toEqual(ids);
    expect(second["nextCursor"]).toBeUndefined();
    expect(await driver.call("session/delete", { sessionId })).toEqual({});
    const prompt = driver.call("session/prompt", { sessionId, prompt: [] });
    expect(await errorOf(prompt)).toMatchObject({ code: -32002 });
  });

  it("load replays the history before it answers, and resume replays nothing", async () => {
    const { driver, sessionId, prompt } = await startSession();
    expect(await prompt("/think hard")).toBe("end_turn");
    const before = driver.updates.length;
    await driver.call("session/close", { sessionId });
    await driver.call("session/load", { sessionId, cwd, mcpServers: [] });
    const replayed = driver.updates.slice(before).map((update) => update["sessionUpdate"]);
    expect(replayed).toContain("user_message_chunk");
    expect(replayed).toContain("agent_thought_chunk");
    expect(replayed).toContain("agent_message_chunk");
    await driver.call("session/close", { sessionId });
    const after = driver.updates.length;
    await driver.call("session/resume", { sessionId, cwd });
    const since = driver.updates.slice(after).map((update) => update["sessionUpdate"]);
    expect(since.filter((kind) => kind !== "available_commands_update")).toEqual([]);
    expect(await prompt("/plan")).toBe("end_turn");
  });

  it("a turn sends its updates before its answer, and is the only one in its session", async () => {
    const { driver, sessionId, prompt } = await startSession();
    expect(await prompt("/flood 300")).toBe("end_turn");
    expect(textFrom(driver).split("\n")).toHaveLength(301);
    const hanging = prompt("/hang");
    const busy = driver.call("session/prompt", { sessionId, prompt: text("x") });
    expect(await errorOf(busy)).toMatchObject({ code: -32600 });
    await driver.notify("session/cancel", { sessionId });
    expect(await hanging).toBe("cancelled");
    await driver.notify("session/cancel", { sessionId });
    expect(await prompt("/refuse")).toBe("refusal");
  });

  it("the agent uses a capability if, and only if, the client advertises it", async () => {
    const plain = await startSession();
    for (const command of ["/ask", "/url", "/run true", "/notice", "/compact"]) {
      expect(await plain.prompt(command)).toBe("end_turn");
    }
    expect(textFrom(plain.driver).match(/does not advertise/g)).toHaveLength(5);
    const asked: string[] = [];
    const answer =
      (method: string, result: unknown): Answer =>
      () => {
        asked.push(method);
        return result;
      };
    const able = await startSession({
      capabilities: EVERYTHING,
      answers: Object.fromEntries(
        Object.entries({
          "session/request_permission": {
            outcome: { outcome: "selected", optionId: "allow_once" },
          },
          "fs/read_text_file": { content: "a" },
          "fs/write_text_file": {},
          "terminal/create": { terminalId: "t" },
          "terminal/wait_for_exit": { exitCode: 0 },
          "terminal/output": { output: "", truncated: false },
          "terminal/release": {},
          "elicitation/create": { action: "decline" },
        }).map(([method, result]) => [method, answer(method, result)]),
      ),
    });
    for (const command of ["/ask", "/run true", "/edit x.txt y"]) {
      expect(await able.prompt(command)).toBe("end_turn");
    }
    expect(new Set(asked).size).toBe(8);
  });

  it("a plain question about a folder gets an answer from its README", async () => {
    const { driver, prompt } = await startSession();
    expect(await prompt("what does this project do?")).toBe("end_turn");
    expect(textFrom(driver)).toContain("**Widget**\n\nTurns left and right.\n\n(from README.md:3)");
    expect(await readFile(join(cwd, "README.md"), "utf8")).toContain("Widget");
  });
});

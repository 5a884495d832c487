import { describe, expect, it, onTestFinished } from "vitest";
import { sessionRecording } from "../../../../src/host/fleet/index.ts";
import {
  asObject,
  type JsonObject,
  parseJsonObject,
  stringField,
} from "../../../../src/base/index.ts";
import { all } from "../contract.ts";
import { startedFleet } from "../rig.ts";

const parse = (text: string): JsonObject => asObject(parseJsonObject(text));

/** A line of a recording without its time, and with its message in place of the text. */
function shown(text: string): JsonObject {
  const { ms: _ms, line, ...rest } = parse(text);
  return typeof line === "string" ? { ...rest, ...parse(line) } : rest;
}

describe("the log of a session as a recording", () => {
  it("has the messages between the agent and its client, in order", async () => {
    const { engine, tenant } = await startedFleet();
    await tenant.run("hello");
    const [header = "", ...lines] = await all(sessionRecording(engine, tenant.session));
    expect(parse(header)).toMatchObject({
      recording: "dragoman",
      version: 2,
      redacted: true,
      agent: { name: "test" },
      cwd: "/",
    });
    const sessionId = tenant.session;
    expect(lines.map(shown)).toMatchObject([
      { event: "note", text: "the worker a took the session over" },
      { direction: "out", id: "open-1", method: "session/new", params: { cwd: "/" } },
      { direction: "in", id: "open-1", result: { sessionId } },
      { direction: "out", id: "p1", method: "session/prompt", params: { sessionId } },
      { direction: "in", method: "session/update", params: { sessionId } },
      { direction: "in", id: "p1", result: { stopReason: "end_turn" } },
    ]);
    const times = lines.map((line) => Number(parse(line)["ms"]));
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  it("has questions with their answers", async () => {
    const { engine, tenant } = await startedFleet();
    const prompt = await tenant.prompt("ask");
    const { id } = await tenant.until("question");
    const result = { outcome: { outcome: "cancelled" } };
    await tenant.client.answer(tenant.session, { id, by: "me", result });
    await tenant.ended(prompt);
    const lines = (await all(sessionRecording(engine, tenant.session))).map(shown);
    const about = lines.filter((line) => line["id"] === id);
    expect(about).toMatchObject([
      { direction: "in", method: "session/request_permission" },
      { direction: "out", result },
    ]);
  });

  it("follows the log while it grows", async () => {
    const { engine, tenant } = await startedFleet();
    const end = new AbortController();
    onTestFinished(() => end.abort());
    const id = await tenant.prompt("wait");
    const { signal } = end;
    let last: JsonObject = {};
    for await (const line of sessionRecording(engine, tenant.session, { follow: true, signal })) {
      last = shown(line);
      if (last["method"] === "session/update") await tenant.client.cancel(tenant.session);
      if (last["id"] === id && last["method"] === undefined) end.abort();
    }
    expect(last).toMatchObject({ direction: "in", result: { stopReason: "cancelled" } });
  });

  it("hides secrets, unless they are wanted", async () => {
    const { engine, tenant } = await startedFleet();
    const headers = [{ name: "Authorization", value: "Bearer abcdef123456" }];
    const server = {
      type: "http",
      name: "tools",
      url: "https://mcp.example/?key=abcdef123456",
      headers,
    };
    await tenant.client.open(tenant.session, { mcpServers: [server] });
    const text = async (keepSecrets: boolean): Promise<string> =>
      (await all(sessionRecording(engine, tenant.session, { keepSecrets }))).join("\n");
    expect(await text(false)).toContain("https://mcp.example/?key=[redacted]");
    expect(await text(false)).not.toContain("abcdef123456");
    expect(await text(true)).toContain("abcdef123456");
  });

  it("needs a session that exists", async () => {
    const { engine } = await startedFleet();
    await expect(all(sessionRecording(engine, "missing"))).rejects.toMatchObject({
      code: "session_not_found",
    });
  });

  it("reports a prompt that was never run", async () => {
    const { engine, tenant } = await startedFleet();
    const running = await tenant.prompt("wait");
    const waiting = await tenant.prompt("hello");
    await tenant.until("turn_started");
    await tenant.client.cancel(tenant.session);
    await tenant.ended(waiting);
    await tenant.ended(running);
    const lines = (await all(sessionRecording(engine, tenant.session))).map(shown);
    expect(lines.filter(({ id }) => id === running)).toHaveLength(2);
    const notes = lines.map((line) => stringField(line, "text") ?? "");
    expect(notes).toContain(`the prompt ${waiting} was not run`);
  });
});

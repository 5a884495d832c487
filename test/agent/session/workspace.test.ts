import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { info, promptAgent } from "../definitions.ts";
import { errorOf, serve, type Json } from "../harness.ts";

describe("a session's workspace", () => {
  it("is validated, and the error lists every fault", async () => {
    const { client } = await serve(promptAgent(async () => {}));
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
    const { client } = await serve(promptAgent(async () => {}));
    const sessionId = await client.newSession();
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

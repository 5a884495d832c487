import { describe, expect, it } from "vitest";
import { CliError } from "../../../src/cli/exit.ts";
import { parseSettings } from "../../../src/cli/settings/schema.ts";

const agent = { command: "x" };

describe("settings", () => {
  it("keep the order of agents and fill in optional fields", () => {
    const text = JSON.stringify({
      agent_servers: {
        second: { command: "b", args: ["-x"], env: { K: "v" }, protocol: "newest" },
        first: agent,
      },
      mcp_servers: [
        { name: "fs", command: "/bin/fs", args: ["--stdio"], env: { A: "b" } },
        { name: "plain", type: "stdio", command: "p" },
        { name: "web", type: "http", url: "https://h/mcp", headers: { H: "v" } },
      ],
      something_else: true,
    });
    const { agents, mcpServers } = parseSettings(text, "s.json");
    expect([...agents]).toEqual([
      ["second", { command: "b", args: ["-x"], env: { K: "v" }, protocol: "newest" }],
      ["first", { command: "x", args: [], env: {} }],
    ]);
    expect(mcpServers).toEqual([
      { name: "fs", command: "/bin/fs", args: ["--stdio"], env: { A: "b" } },
      { name: "plain", command: "p", args: [], env: {} },
      { type: "http", name: "web", url: "https://h/mcp", headers: { H: "v" } },
    ]);
  });

  it("say how long agents are kept warm, for all or for one", () => {
    const agents = { a: { command: "x", warm: "10m" }, b: { command: "x", warm: false }, c: agent };
    const settings = parseSettings(JSON.stringify({ agent_servers: agents, warm: "90" }), "s.json");
    expect(settings.warmMs).toBe(90_000);
    expect([...settings.agents.values()].map(({ warmMs }) => warmMs)).toEqual([
      600_000,
      0,
      undefined,
    ]);
  });

  it("are not quoted in the error about invalid JSON, because they may hold secrets", () => {
    const parse = () =>
      parseSettings('{"agent_servers": {"a": {"env": {"K": hunter22}}}}', "s.json");
    expect(parse).toThrow(/^s\.json is not valid JSON: Unexpected token 'h'$/);
  });

  const withAgent = (entry: unknown) => JSON.stringify({ agent_servers: { a: entry } });
  const withServer = (...entries: unknown[]) =>
    JSON.stringify({ agent_servers: {}, mcp_servers: entries });
  it.each([
    ["{", "s.json is not valid JSON"],
    ['{ "agent_servers": {}, }', "s.json is not valid JSON"],
    ["// x\n{}", "s.json is not valid JSON"],
    ["[]", "s.json: the top level must be an object"],
    ["{}", 's.json has no "agent_servers"'],
    ['{"agent_servers": []}', "s.json: agent_servers must be an object"],
    ['{"agent_servers": {"": {}}}', "agent_servers has an agent without a name"],
    [withAgent("x"), "s.json: agent_servers.a must be an object"],
    [withAgent({}), "s.json: agent_servers.a.command is missing"],
    [withAgent({ command: 1 }), "agent_servers.a.command must be a string"],
    [withAgent({ command: " " }), "agent_servers.a.command is empty"],
    [withAgent({ command: "x", args: "y" }), "agent_servers.a.args must be an array of strings"],
    [withAgent({ command: "x", args: ["y", 2] }), "agent_servers.a.args[1] must be a string"],
    [withAgent({ command: "x", env: [] }), "agent_servers.a.env must be an object of strings"],
    [withAgent({ command: "x", env: { N: 1 } }), "agent_servers.a.env.N must be a string"],
    [
      withAgent({ command: "x", warm: "long" }),
      'agent_servers.a.warm must be a duration such as "10m", or false',
    ],
    ['{"agent_servers": {}, "warm": 10}', "warm must be a duration"],
    [
      withAgent({ command: "x", protocol: "2" }),
      'agent_servers.a.protocol must be 1, 2 or "newest"',
    ],
    [withAgent({ command: "x", protocol: 3 }), 'agent_servers.a.protocol must be 1, 2 or "newest"'],
    ['{"agent_servers": {"a b": 1}}', 'agent_servers."a b" must be an object'],
    ['{"agent_servers": {}, "mcp_servers": {}}', "mcp_servers must be an array"],
    [withServer({ command: "x" }), "mcp_servers[0].name is missing"],
    [withServer({ name: "x" }), "mcp_servers[0].command is missing"],
    [
      withServer({ name: "x", type: "tcp" }),
      'mcp_servers[0].type must be "stdio", "http" or "sse"',
    ],
    [withServer({ name: "x", type: "sse" }), "mcp_servers[0].url is missing"],
    [withServer({ name: "x", type: "http", url: "nope" }), "mcp_servers[0].url must be an http"],
    [
      withServer({ name: "x", command: "c" }, { name: "x", command: "c" }),
      'mcp_servers[1].name "x" is used twice',
    ],
  ])("of %j are invalid, and the error names the field", (text, message) => {
    let error: unknown;
    try {
      parseSettings(text, "s.json");
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(CliError);
    expect(String(error)).toContain(message);
    expect((error as CliError).code).toBe(2);
  });
});

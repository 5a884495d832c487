import { describe, expect, it } from "vitest";
import { CliError } from "../../../../src/apps/cli/shell/exit.ts";
import { NO_PREFERENCES } from "../../../../src/apps/cli/settings/keys.ts";
import { parseSettings } from "../../../../src/apps/cli/settings/schema.ts";

const agent = { command: "x" };

describe("settings", () => {
  it("keep the order of agents and fill in optional fields", async () => {
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
    const { agents, mcpServers } = await parseSettings(text, "s.json");
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

  it("list the keys of _meta that clients of a server may set", async () => {
    const entries = { here: { ...agent, allow_meta: ["systemPrompt"] } };
    const there = { url: "wss://h/acp", allow_meta: ["theme"] };
    const text = JSON.stringify({ agent_servers: { ...entries, there } });
    const { agents, unknown } = await parseSettings(text, "s.json");
    expect([...agents.values()].map(({ meta }) => meta)).toEqual([["systemPrompt"], ["theme"]]);
    expect(unknown).toEqual([]);
    const wrong = JSON.stringify({ agent_servers: { a: { ...agent, allow_meta: "x" } } });
    await expect(parseSettings(wrong, "s.json")).rejects.toThrow("agent_servers.a.allow_meta");
  });

  it("may have comments and trailing commas", async () => {
    const text = '// agents\n{ "agent_servers": { "a": { "command": "x", /* none */ }, }, }\n';
    expect([...(await parseSettings(text, "s.json")).agents.keys()]).toEqual(["a"]);
  });

  it("need no agents", async () => {
    const { agents, preferences } = await parseSettings("{}", "s.json");
    expect(agents.size).toBe(0);
    expect(preferences).toEqual(NO_PREFERENCES);
  });

  it("say how Dragoman behaves", async () => {
    const text = `{
      "default_agent": "claude",
      "agents": {
        "claude": { "mode": "plan", "model": "opus", "options": { "a": "b" }, "flags": ["--write"] },
        "bare": {}
      },
      "output": "simple", "permissions": "~/rules.json", "theme": "none", "pager": "",
      "notifications": true, "markdown": false, "warm": "10m"
    }`;
    expect((await parseSettings(text, "s.json")).preferences).toEqual({
      defaultAgent: "claude",
      agents: new Map([
        ["claude", { mode: "plan", model: "opus", options: { a: "b" }, flags: ["--write"] }],
        ["bare", { options: {}, flags: [] }],
      ]),
      output: "simple",
      permissions: "~/rules.json",
      theme: "none",
      pager: "",
      notifications: true,
      markdown: false,
      warm: 600_000,
    });
  });

  it.each([[{ mode: "dark" }], ["One Dark"]])(
    "ignore the theme of an editor that shares the file: %j",
    async (theme) => {
      const { preferences, unknown } = await parseSettings(JSON.stringify({ theme }), "s.json");
      expect(preferences.theme).toBeUndefined();
      expect(unknown).toEqual([{ field: "theme", near: undefined }]);
    },
  );

  it("say how long agents are kept warm, for all or for one", async () => {
    const agents = { a: { command: "x", warm: "10m" }, b: { command: "x", warm: false }, c: agent };
    const text = JSON.stringify({ agent_servers: agents, warm: "90" });
    const settings = await parseSettings(text, "s.json");
    expect(settings.preferences.warm).toBe(90_000);
    expect([...settings.agents.values()].map(({ warmMs }) => warmMs)).toEqual([
      600_000,
      0,
      undefined,
    ]);
  });

  it("are not quoted in the error about invalid JSON, because they may hold secrets", async () => {
    const parsed = parseSettings('{"agent_servers": {"a": {"env": {"K": hunter22}}}}', "s.json");
    await expect(parsed).rejects.toThrow(/^s\.json:1:39 is not valid JSON: unexpected word$/);
  });

  const withAgent = (entry: unknown) => JSON.stringify({ agent_servers: { a: entry } });
  const withServer = (...entries: unknown[]) =>
    JSON.stringify({ agent_servers: {}, mcp_servers: entries });
  it.each([
    ["{", "s.json:1:2 is not valid JSON: a closing brace is expected"],
    ["", "s.json:1:1 is not valid JSON: a value is expected"],
    ['{\n  "agent_servers": {}\n  "mcp_servers": []\n}', "s.json:3:3 is not valid JSON: a comma"],
    ['// comment\r\n{ "a" 1 }', "s.json:2:7 is not valid JSON: a colon is expected"],
    ['{ "a": "b }', "s.json:1:8 is not valid JSON: a string is not closed"],
    ["/* open", "s.json:1:1 is not valid JSON: a comment is not closed"],
    ["[]", "s.json: the top level must be an object"],
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
      "agent_servers.a.warm must be a duration such as 90s or 10m, or 0",
    ],
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
    ['{"default_agent": ""}', "default_agent is empty"],
    ['{"output": "xml"}', "output must be one of text, simple"],
    ['{"pager": 1}', "pager must be a string"],
    ['{"notifications": "yes"}', "notifications must be true or false"],
    ['{"warm": "soon"}', "warm must be a duration such as 90s or 10m, or 0"],
    ['{"agents": {"a": {"model": 1}}}', "agents.a.model must be a string"],
    ['{"agents": {"a": {"options": {"x": 1}}}}', "agents.a.options.x must be a string"],
    ['{"agents": {"a": {"flags": "--write"}}}', "agents.a.flags must be an array of strings"],
  ])("of %j are invalid, and the error names the field or the place", async (text, message) => {
    const error: unknown = await parseSettings(text, "s.json").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CliError);
    expect(String(error)).toContain(message);
    expect((error as CliError).code).toBe(2);
  });
});

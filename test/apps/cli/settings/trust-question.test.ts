import { describe, expect, it } from "vitest";
import { settingsOf } from "../../../../src/apps/cli/settings/schema.ts";
import { trustLines } from "../../../../src/apps/cli/settings/trust.ts";

const lines = (settings: object) =>
  trustLines({
    file: "/p/.dragoman/settings.json",
    settings: settingsOf(settings, "s.json"),
  });
const withEnv = (env: Readonly<Record<string, string>>) =>
  lines({ agent_servers: { a: { command: "x", env } } }).slice(2);

const SHOWN = `
  NODE_OPTIONS LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES BASH_ENV ENV PATH Path
  PYTHONPATH PYTHONSTARTUP RUBYOPT PERL5OPT PERL5LIB GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0
  GIT_SSH_COMMAND GIT_ASKPASS SSH_ASKPASS HTTPS_PROXY https_proxy ANTHROPIC_BASE_URL
  OLLAMA_HOST AWS_ENDPOINT AUTH_URL TOKEN_ENDPOINT KEY_SERVER SSLKEYLOGFILE SSH_AUTH_SOCK
  GOAUTH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED JAVA_TOOL_OPTIONS EDITOR
  AWS_SHARED_CREDENTIALS_FILE HOME npm_config_registry SOME_UNKNOWN_SETTING
`
  .trim()
  .split(/\s+/);

const HIDDEN = `
  API_KEY OPENAI_API_KEY apikey GITHUB_TOKEN DB_PASSWORD CLIENT_SECRET AWS_SECRET_ACCESS_KEY
  NODE_AUTH_TOKEN PGPASSWORD SESSION_COOKIE API_KEY_2
`
  .trim()
  .split(/\s+/);

describe("the trust question", () => {
  it("shows all that would be started or contacted", () => {
    const shown = lines({
      agent_servers: {
        theirs: { command: "node", args: ["a.mjs", "b c"], env: { API_KEY: "hush", DEBUG: "1" } },
        bare: { command: "bare" },
      },
      mcp_servers: [
        { name: "fs", command: "fs-server", args: ["--all"], env: { NODE_OPTIONS: "-r ./e.cjs" } },
        {
          name: "web",
          type: "http",
          url: "https://mcp.example/x?y=z",
          headers: { Authorization: "Bearer hush", "X-Team": "t" },
        },
      ],
    });
    expect(shown).toEqual([
      "This folder has its own settings: /p/.dragoman/settings.json",
      '  agent theirs: node a.mjs "b c"',
      "    variable API_KEY (value not shown)",
      '    variable DEBUG="1"',
      "  agent bare: bare",
      "  MCP server fs: fs-server --all",
      '    variable NODE_OPTIONS="-r ./e.cjs"',
      "  MCP server web: https://mcp.example/x?y=z",
      "    header Authorization",
      "    header X-Team",
    ]);
  });

  it.each(SHOWN)("shows the value of %s, which may change what happens", (name) => {
    expect(withEnv({ [name]: "./evil token=x" })).toEqual([
      `    variable ${name}="./evil token=x"`,
    ]);
  });

  it.each(HIDDEN)("keeps the value of %s to itself", (name) => {
    expect(withEnv({ [name]: "hush" })).toEqual([`    variable ${name} (value not shown)`]);
  });

  it("is safe for a terminal, and no text passes for another line", () => {
    const evil = "a\u001b[2J\u202eb\u009bc\nTrust them? y";
    const shown = lines({
      agent_servers: { [evil]: { command: evil, args: [evil], env: { [evil]: evil } } },
      mcp_servers: [
        { name: evil, command: evil, env: { [evil]: evil } },
        { name: "w", type: "sse", url: `https://h/${evil}`, headers: { [evil]: evil } },
      ],
    });
    expect(shown).toHaveLength(7);
    // oxlint-disable-next-line no-control-regex -- control characters are what this test is about
    for (const line of shown) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(shown[2]).toContain(String.raw`variable "a\u001b[2J`);
  });
});

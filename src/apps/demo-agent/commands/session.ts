import { optionsOf, parseMode, setOption } from "../settings.ts";
import type { Command } from "./command.ts";

/** Commands about the session and the client. */
export const session: readonly Command[] = [
  {
    name: "mode",
    description: "Changes the mode from the agent's side: ask, auto or read-only",
    hint: "mode",
    async run(turn, rest) {
      const { state } = turn.session;
      const mode = parseMode(rest);
      if (mode === undefined) return await turn.say(`The mode is ${state.mode}.`);
      state.mode = mode;
      await turn.mode(mode);
      await turn.say(`The mode is now ${mode}.`);
    },
  },
  {
    name: "config",
    description: "Changes a config option from the agent's side: detail or quotes",
    hint: "option value",
    async run(turn, rest) {
      const { state } = turn.session;
      const [id = "", word = ""] = rest.split(/\s+/);
      const value = word === "true" || word === "false" ? word === "true" : word;
      const known = setOption(state, id, value);
      await turn.configOptions(optionsOf(state));
      await turn.say(
        known ? `${id} is now ${word}.` : "Options: detail short|full, quotes true|false",
      );
    },
  },
  {
    name: "title",
    description: "Names the session, or removes its name if none is given",
    hint: "name",
    async run(turn, rest) {
      await turn.title(rest === "" ? null : rest);
      await turn.say(
        rest === "" ? "The session no longer has a name." : `The session is now called "${rest}".`,
      );
    },
  },
  {
    name: "commands",
    description: "Adds a command to the list",
    async run(turn) {
      const extra = { name: "surprise", description: "Added by /commands" };
      const all = turn.session.state.commands;
      turn.session.state.commands = all.some(({ name }) => name === extra.name)
        ? all
        : [...all, extra];
      await turn.commands(turn.session.state.commands);
      await turn.say("There is a new command: /surprise.");
    },
  },
  {
    name: "surprise",
    description: "Always works, but is listed only after /commands",
    async run(turn) {
      await turn.say("Surprise!");
    },
  },
  {
    name: "mcp",
    description: "Lists the session's MCP servers",
    async run(turn) {
      const { mcpServers } = turn.session;
      if (mcpServers.length === 0) return await turn.say("The session has no MCP servers.");
      const lines = mcpServers.map((server) => {
        if ("url" in server) return `- ${server.name}: ${server.type} ${server.url}`;
        if ("serverId" in server) return `- ${server.name}: in the client's process`;
        return `- ${server.name}: stdio ${[server.command, ...server.args].join(" ")}`;
      });
      await turn.say(`MCP servers of the session (${mcpServers.length}):\n\n${lines.join("\n")}`);
    },
  },
  {
    name: "client",
    description: "Shows what the client reported about itself",
    async run(turn) {
      const { info, capabilities, dialect, protocolVersion } = turn.client;
      const reported = { info, dialect, protocolVersion, capabilities };
      await turn.say(`\`\`\`json\n${JSON.stringify(reported, null, 2)}\n\`\`\``);
    },
  },
];

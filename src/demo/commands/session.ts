import { optionsOf, setOption, toMode } from "../settings.ts";
import type { Command } from "./command.ts";

/** Commands about the session and the client. */
export const session: readonly Command[] = [
  {
    name: "mode",
    description: "Changes the mode from the agent's side: ask, auto or read-only",
    hint: "mode",
    async run(turn, rest) {
      const { state } = turn.session;
      const mode = toMode(rest);
      if (mode === undefined) return await turn.say(`The mode is ${state.mode}.`);
      state.mode = mode;
      await turn.mode(mode);
      await turn.say(`The mode is ${mode} now.`);
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
      await turn.say(known ? `${id} is ${word} now.` : "detail short|full, quotes true|false");
    },
  },
  {
    name: "title",
    description: "Names the session; without a name the name is taken away",
    hint: "name",
    async run(turn, rest) {
      await turn.title(rest === "" ? null : rest);
      await turn.say(
        rest === "" ? "The session has no name now." : `The session is "${rest}" now.`,
      );
    },
  },
  {
    name: "commands",
    description: "Changes the list of commands: adds one that was not there",
    async run(turn) {
      const extra = { name: "surprise", description: "Was added by /commands" };
      const all = turn.session.state.commands;
      turn.session.state.commands = all.some(({ name }) => name === extra.name)
        ? all
        : [...all, extra];
      await turn.commands(turn.session.state.commands);
      await turn.say("There is a new command.");
    },
  },
  {
    name: "surprise",
    description: "Is there all the time, but only shown after /commands",
    async run(turn) {
      await turn.say("Surprise!");
    },
  },
  {
    name: "mcp",
    description: "Lists the MCP servers the session was given",
    async run(turn) {
      const { mcpServers } = turn.session;
      if (mcpServers.length === 0) return await turn.say("You gave me no MCP servers.");
      const lines = mcpServers.map((server) =>
        "url" in server
          ? `- ${server.name}: ${server.type} ${server.url}`
          : `- ${server.name}: stdio ${[server.command, ...server.args].join(" ")}`,
      );
      await turn.say(`You gave me ${mcpServers.length}:\n\n${lines.join("\n")}`);
    },
  },
  {
    name: "client",
    description: "Says what the client told about itself",
    async run(turn) {
      const { info, capabilities, dialect } = turn.client;
      const told = { info, dialect, capabilities };
      await turn.say(`\`\`\`json\n${JSON.stringify(told, null, 2)}\n\`\`\``);
    },
  },
];

import { optionsOf, parseMode, setOption } from "../conversation.ts";
import { type Command, saying } from "./command.ts";
import type { PermissionOption } from "../../../protocol/acp/index.ts";

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
  saying("surprise", "Always works, but is listed only after /commands", "Surprise!"),
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

const CHOICES: readonly PermissionOption[] = [
  { optionId: "once", name: "Once", kind: "allow_once" },
  { optionId: "ever", name: "Always", kind: "allow_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
  { optionId: "never", name: "Never", kind: "reject_always" },
];

export const questions: readonly Command[] = [
  {
    name: "permission",
    description: "Asks for permission with one option of each kind, and reports the choice",
    async run(turn) {
      const answer = await turn.askPermission({
        title: "Do nothing at all",
        kind: "other",
        options: CHOICES,
      });
      const chosen = answer.outcome === "selected" ? `chose ${answer.optionId}` : "dismissed it";
      await turn.say(`You ${chosen}: ${answer.allowed ? "allowed" : "not allowed"}.`);
    },
  },
  {
    name: "ask",
    description: "Asks the user to fill in a form",
    needs: "elicitation.form",
    async run(turn) {
      const answer = await turn.elicit({
        message: "Tell me about your favourite colour.",
        schema: {
          title: "Colour",
          properties: {
            name: { type: "string", title: "Name", minLength: 1 },
            kind: { type: "string", title: "Kind", enum: ["warm", "cold"] },
            shades: { type: "integer", title: "Number of shades", minimum: 1, maximum: 50 },
            brightness: { type: "number", title: "Brightness", minimum: 0, maximum: 1 },
            loud: { type: "boolean", title: "Is it loud?", default: false },
            uses: {
              type: "array",
              title: "Uses",
              items: { type: "string", enum: ["walls", "clothes", "screens"] },
            },
          },
          required: ["name"],
        },
      });
      if (answer.action !== "accept") return await turn.say(`You answered ${answer.action}.`);
      await turn.say(`You answered:\n\n${JSON.stringify(answer.content, null, 2)}`);
    },
  },
  {
    name: "url",
    description: "Asks the user to open a URL, then reports that it is done",
    hint: "address",
    needs: "elicitation.url",
    async run(turn, rest) {
      const url = rest || "https://agentclientprotocol.com";
      const answer = await turn.elicitUrl({ message: "Please take a look at this page.", url });
      if (answer.action === "accept") await answer.complete();
      await turn.say(`You answered ${answer.action}.`);
    },
  },
];

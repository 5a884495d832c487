import { TURNS } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const chat: CommandSpec = {
  name: "chat",
  usage: "chat [PROMPT]",
  help: "talk to an agent over several turns",
  details: [
    "Enter sends the prompt, even while the agent works: it waits then. Alt-Enter starts a",
    "new line. Tab completes /commands and @files, Ctrl-R searches earlier prompts. Ctrl-C",
    "cancels the turn. Ctrl-C twice at an empty prompt, or Ctrl-D, ends the chat.",
    "The chat itself handles /model, /mode, /permissions, /diff, /undo, /resume, /copy, /help",
    "and /exit. Every other /command goes to the agent.",
  ],
  takes: TURNS,
};

import type { CommandSpec } from "../../shell/parse.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type CompletionShell = (typeof SHELLS)[number];

export const completion: CommandSpec = {
  name: "completion",
  usage: "completion bash|zsh|fish",
  help: "print a completion script",
  details: [
    '  bash: eval "$(dragoman completion bash)"',
    '  zsh:  eval "$(dragoman completion zsh)", after compinit',
    "  fish: dragoman completion fish | source",
  ],
  takes: [],
  next: SHELLS,
};

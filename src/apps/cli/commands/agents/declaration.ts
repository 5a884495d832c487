import type { OptionTable } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const AGENT_ACTIONS = ["list", "install", "update", "remove"] as const;

export const AGENTS_OPTIONS = {
  Install: {
    "--registry FILE|URL": "look the agent up in this registry, in the format of the ACP registry",
    "--sha256 HASH": "expected hash of the archive, if the registry gives none",
  },
} as const satisfies OptionTable;

export const agents: CommandSpec = {
  name: "agents",
  usage: "agents [install|update|remove NAME]",
  help: "list known agents and which are installed; install one",
  details: [
    "  (nothing)      list the agents; * marks the one that runs use by default",
    "  install NAME   install an agent for Dragoman alone: one version, with a known hash",
    "  update NAME    the same for an agent that Dragoman has installed",
    "  remove NAME    delete it again",
    "",
    "Dragoman prints what it will load and run, and asks. npm runs no install scripts.",
    "",
  ],
  takes: ["settings", "trust-project", "cwd", "outputmode", "jsonl", "verbose", "yes"],
  own: AGENTS_OPTIONS,
  next: AGENT_ACTIONS,
};

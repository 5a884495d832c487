import type { OptionTable } from "../../shell/options.ts";
import type { ActionTable, CommandSpec } from "../../shell/parse.ts";

export const AGENTS_OPTIONS = {
  Install: {
    "--registry FILE|URL": "look the agent up in this registry, in the format of the ACP registry",
    "--sha256 HASH": "expected hash of the archive, if the registry gives none",
  },
} as const satisfies OptionTable;

const CHANGE = {
  usage: "NAME",
  needs: "the name of one agent",
  options: ["registry", "sha256", "yes"],
} as const;

export const AGENT_ACTIONS = {
  list: { help: "list the agents; * marks the one that runs use by default" },
  install: {
    ...CHANGE,
    help: "install an agent for Dragoman alone: one version, with a known hash",
  },
  update: { ...CHANGE, help: "the same for an agent that Dragoman has installed" },
  remove: { ...CHANGE, help: "delete it again" },
} as const satisfies ActionTable;

export const agents: CommandSpec = {
  name: "agents",
  usage: "agents [install|update|remove NAME]",
  help: "list known agents and which are installed; install one",
  actions: AGENT_ACTIONS,
  details: ["Dragoman prints what it will load and run, and asks. npm runs no install scripts."],
  takes: ["settings", "trust-project", "cwd", "outputmode", "jsonl", "verbose", "yes"],
  own: AGENTS_OPTIONS,
};

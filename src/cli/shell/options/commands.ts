/** The commands. If the first argument is not one of them, the arguments are a prompt. */
export const COMMANDS = [
  { name: "chat", usage: "chat [PROMPT]", help: "talk to an agent over several turns" },
  {
    name: "agents",
    usage: "agents [install|update|remove NAME]",
    help: "list known agents and which are installed; install one",
  },
  {
    name: "sessions",
    usage: "sessions list|show|delete|export|prune [ID]",
    help: "list, show, delete, export or prune an agent's sessions",
  },
  {
    name: "compare",
    usage: "compare -a A,B[,C] PROMPT",
    help: "run a prompt with several agents side by side",
  },
  {
    name: "doctor",
    usage: "doctor [AGENT]",
    help: "check step by step whether an agent works",
  },
  {
    name: "check",
    usage: "check [client] (-a NAME | -- CMD)",
    help: "check whether an agent or a client keeps the rules of the protocol",
  },
  {
    name: "inspect",
    usage: "inspect FILE [FILE2] | (-a NAME | -- CMD)",
    help: "show what an agent and its client say, from a recording, a fleet or live",
  },
  {
    name: "config",
    usage: "config [get|set|unset|list|path]",
    help: "show or change your settings",
  },
  {
    name: "proxy",
    usage: "proxy (-a NAME | -- CMD)",
    help: "stand between an editor and its agent: restarts, rules, recordings",
  },
  {
    name: "serve",
    usage: "serve (-a NAME | -- CMD)",
    help: "let clients on other machines use an agent of this one",
  },
  {
    name: "hub",
    usage: "hub status|stop|logs",
    help: "show or stop the hub that keeps agents warm, or print its log",
  },
  {
    name: "attach",
    usage: "attach [SESSION]",
    help: "join a session that another client has open",
  },
  {
    name: "worker",
    usage: "worker --nats URL (-a NAME | -- CMD)",
    help: "run sessions and jobs of a fleet on this machine",
  },
  {
    name: "gateway",
    usage: "gateway --nats URL",
    help: "let clients use the agents of a fleet",
  },
  {
    name: "jobs",
    usage: "jobs submit|list|show|follow|cancel",
    help: "run prompts on a fleet, each in a fresh worktree",
  },
  {
    name: "fleet",
    usage: "fleet status|export|setup|config",
    help: "show a fleet or a session of it, or set up its servers",
  },
  { name: "replay", usage: "replay FILE", help: "act as an agent that plays back a recording" },
  { name: "completion", usage: "completion bash|zsh|fish", help: "print a completion script" },
  { name: "help", usage: "help [COMMAND]", help: "print help" },
] as const;

/** The actions of `sessions`. */
export const SESSION_ACTIONS = ["list", "show", "delete", "export", "prune"] as const;

/** The actions of `agents`. */
export const AGENT_ACTIONS = ["list", "install", "update", "remove"] as const;

/** The actions of `hub`. */
export const HUB_ACTIONS = ["status", "stop", "logs"] as const;

/** The actions of `jobs`. */
export const JOB_ACTIONS = ["submit", "list", "show", "follow", "cancel"] as const;

/** The actions of `fleet`. */
export const FLEET_ACTIONS = ["status", "export", "setup", "config"] as const;

/** The actions of `config`. */
export const CONFIG_ACTIONS = ["get", "set", "unset", "list", "path"] as const;

export type CommandName = (typeof COMMANDS)[number]["name"] | "prompt";

export type OptionGroup =
  | "Agent"
  | "Prompt"
  | "Output"
  | "Permissions"
  | "Session"
  | "Diagnostics"
  | "Limits"
  | "Compare"
  | "Check"
  | "Inspect"
  | "Install"
  | "Serve"
  | "Fleet"
  | "Replay"
  | "General";

/** One option of the command line. */
export interface OptionSpec {
  readonly name: string;
  readonly short?: string;
  /** The name of its value in help texts. An option without one is a switch. */
  readonly value?: string;
  /** True if the value may be left out. It is then the empty text. */
  readonly optional?: boolean;
  /** The possible values, for completion. */
  readonly words?: readonly string[];
  readonly multiple?: boolean;
  readonly group: OptionGroup;
  readonly help: string;
  /** The commands that take it. */
  readonly on: readonly CommandName[];
}

export const TURN = ["prompt", "chat"] as const;
export const RUN = [...TURN, "compare"] as const;
/** The commands that show turns and answer questions of the agent. */
export const SHOWN = [...TURN, "attach"] as const;
export const CONNECT = ["prompt", "chat", "sessions", "doctor"] as const;
export const START = [...CONNECT, "proxy"] as const;
/** The commands of a fleet. */
export const FLEET = ["worker", "gateway", "jobs", "fleet"] as const;
export const ALL = [
  "prompt",
  "chat",
  "agents",
  "sessions",
  "compare",
  "doctor",
  "check",
  "inspect",
  "config",
  "proxy",
  "serve",
  "hub",
  "attach",
  ...FLEET,
  "replay",
  "completion",
  "help",
] as const;

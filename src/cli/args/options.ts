/** The commands. Without a command word the arguments are a prompt. */
export const COMMANDS = [
  { name: "chat", usage: "chat", help: "talk to an agent over several turns" },
  { name: "agents", usage: "agents", help: "list the agents and what is installed" },
  {
    name: "sessions",
    usage: "sessions list|show|delete|export [ID]",
    help: "the sessions an agent keeps",
  },
  {
    name: "doctor",
    usage: "doctor [AGENT]",
    help: "find out whether an agent works, step by step",
  },
  { name: "replay", usage: "replay FILE", help: "be an agent that plays a recording back" },
  { name: "completion", usage: "completion bash|zsh|fish", help: "print a completion script" },
  { name: "help", usage: "help [COMMAND]", help: "print help" },
] as const;

/** What `sessions` can do. */
export const SESSION_ACTIONS = ["list", "show", "delete", "export"] as const;

export type CommandName = (typeof COMMANDS)[number]["name"] | "prompt";

export type OptionGroup =
  | "Agent"
  | "Prompt"
  | "Output"
  | "Permissions"
  | "Session"
  | "Finding out"
  | "Ends"
  | "Replay"
  | "General";

interface OptionSpec {
  readonly name: string;
  readonly short?: string;
  /** What its value is called in help; an option without one is a switch. */
  readonly value?: string;
  /** The words its value may be, for completion. */
  readonly words?: readonly string[];
  readonly multiple?: boolean;
  readonly group: OptionGroup;
  readonly help: string;
  /** The commands that take it. */
  readonly on: readonly CommandName[];
}

const TURN = ["prompt", "chat"] as const;
const CONNECT = ["prompt", "chat", "sessions", "doctor"] as const;
const ALL = [
  "prompt",
  "chat",
  "agents",
  "sessions",
  "doctor",
  "replay",
  "completion",
  "help",
] as const;

export const OUTPUT_MODES = ["text", "simple", "jsonl", "json", "events"] as const;

/** Every option, once: parsing, help, completions and the man page are made from this table. */
export const OPTIONS = [
  {
    name: "agent",
    short: "a",
    value: "NAME",
    group: "Agent",
    on: CONNECT,
    help: "agent from the settings or the catalogue",
  },
  {
    name: "agent-command",
    value: "CMD",
    group: "Agent",
    on: CONNECT,
    help: 'command line of an agent, such as "gemini --acp"',
  },
  {
    name: "settings",
    value: "FILE",
    group: "Agent",
    on: [...CONNECT, "agents"],
    help: "settings file to use instead of the project's and yours",
  },
  {
    name: "trust-project",
    group: "Agent",
    on: [...CONNECT, "agents"],
    help: "trust this folder's .dragoman/settings.json as it is now",
  },
  {
    name: "auth",
    value: "METHOD",
    group: "Agent",
    on: CONNECT,
    help: "authenticate with one of the agent's methods first",
  },
  {
    name: "cwd",
    short: "C",
    value: "DIR",
    group: "Agent",
    on: [...CONNECT, "agents"],
    help: "workspace folder (default: the current one)",
  },
  {
    name: "file",
    short: "f",
    value: "FILE",
    multiple: true,
    group: "Prompt",
    on: ["prompt"],
    help: "read prompt text from a file (- is stdin)",
  },
  {
    name: "image",
    value: "FILE",
    multiple: true,
    group: "Prompt",
    on: ["prompt"],
    help: "attach an image",
  },
  {
    name: "no-stdin",
    group: "Prompt",
    on: ["prompt"],
    help: "do not read stdin",
  },
  {
    name: "outputmode",
    short: "o",
    value: "MODE",
    words: OUTPUT_MODES,
    group: "Output",
    on: [...CONNECT, "agents"],
    help: "text, simple, jsonl (raw frames; they may hold secrets of MCP servers) or events",
  },
  {
    name: "jsonl",
    short: "j",
    group: "Output",
    on: [...CONNECT, "agents"],
    help: "same as -o jsonl",
  },
  { name: "thoughts", group: "Output", on: TURN, help: "show the agent's thoughts" },
  {
    name: "color",
    value: "WHEN",
    words: ["auto", "always", "never"],
    group: "Output",
    on: ALL,
    help: "auto, always or never",
  },
  {
    name: "verbose",
    short: "v",
    group: "Output",
    on: CONNECT,
    help: "show the agent's stderr and protocol noise",
  },
  { name: "write", group: "Permissions", on: TURN, help: "allow writing in the workspace" },
  { name: "exec", group: "Permissions", on: TURN, help: "allow running commands" },
  {
    name: "yolo",
    group: "Permissions",
    on: TURN,
    help: "allow everything and reading anywhere (writes stay in the workspace)",
  },
  {
    name: "permissions",
    value: "FILE",
    group: "Permissions",
    on: TURN,
    help: "rules by tool kind, path and command; the first that matches decides",
  },
  {
    name: "strict-permissions",
    group: "Permissions",
    on: ["prompt"],
    help: "exit with 5 if a permission was refused",
  },
  {
    name: "no-ask",
    group: "Permissions",
    on: TURN,
    help: "never ask on the terminal; the flags alone decide",
  },
  { name: "no-fs", group: "Permissions", on: TURN, help: "offer the agent no file access" },
  { name: "no-terminal", group: "Permissions", on: TURN, help: "offer the agent no commands" },
  {
    name: "resume",
    value: "ID",
    group: "Session",
    on: TURN,
    help: "go on with a session",
  },
  {
    name: "continue",
    short: "c",
    group: "Session",
    on: TURN,
    help: "go on with the last session of this agent and folder",
  },
  {
    name: "save-session",
    value: "FILE",
    group: "Session",
    on: TURN,
    help: "write the session's id to a file",
  },
  { name: "mode", value: "MODE", group: "Session", on: TURN, help: "set the session's mode" },
  {
    name: "model",
    value: "MODEL",
    group: "Session",
    on: [...TURN, "doctor"],
    help: "set the session's model",
  },
  {
    name: "set",
    value: "KEY=VALUE",
    multiple: true,
    group: "Session",
    on: TURN,
    help: "set a config option of the session",
  },
  {
    name: "all",
    group: "Session",
    on: ["sessions"],
    help: "sessions of every folder, not of this one alone",
  },
  {
    name: "list-caps",
    group: "Finding out",
    on: ["prompt"],
    help: "print what the agent can do",
  },
  { name: "list-modes", group: "Finding out", on: ["prompt"], help: "print the session's modes" },
  {
    name: "list-commands",
    group: "Finding out",
    on: ["prompt"],
    help: "print the agent's slash commands",
  },
  {
    name: "record",
    value: "FILE",
    group: "Finding out",
    on: CONNECT,
    help: "record the wire, secrets taken out",
  },
  {
    name: "timeout",
    value: "TIME",
    group: "Ends",
    on: TURN,
    help: "limit of a turn and of each wait before it, such as 90, 90s or 5m",
  },
  {
    name: "idle-timeout",
    value: "TIME",
    group: "Ends",
    on: TURN,
    help: "limit of silence within a turn",
  },
  {
    name: "start-timeout",
    value: "TIME",
    group: "Ends",
    on: CONNECT,
    help: "limit for the agent to start (default: 60s, or --timeout if shorter)",
  },
  {
    name: "fail-on",
    value: "REASONS",
    group: "Ends",
    on: ["prompt"],
    help: "stop reasons to exit with 10 for: refusal,max_tokens,... or any",
  },
  {
    name: "step-timeout",
    value: "TIME",
    group: "Replay",
    on: ["replay"],
    help: "limit of waiting for each of the client's messages (default: 30s)",
  },
  {
    name: "realtime",
    group: "Replay",
    on: ["replay"],
    help: "keep the recording's pauses",
  },
  { name: "help", short: "h", group: "General", on: ALL, help: "print help" },
  { name: "version", short: "V", group: "General", on: ALL, help: "print the version" },
] as const satisfies readonly OptionSpec[];

type Spec = (typeof OPTIONS)[number];
export type OptionName = Spec["name"];
export type ListName = Extract<Spec, { readonly multiple: true }>["name"];
export type TextName = Exclude<Extract<Spec, { readonly value: string }>["name"], ListName>;
export type FlagName = Exclude<OptionName, TextName | ListName>;

/** The table with every field of every option, for readers that treat all options alike. */
export const ALL_OPTIONS: readonly (OptionSpec & { readonly name: OptionName })[] = OPTIONS;

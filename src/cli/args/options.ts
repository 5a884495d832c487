import type { CommandName } from "./commands.ts";
import { SERVE_OPTIONS } from "./serve-options.ts";

export { COMMANDS, type CommandName, HUB_ACTIONS, SESSION_ACTIONS } from "./commands.ts";

export type OptionGroup =
  | "Agent"
  | "Prompt"
  | "Output"
  | "Permissions"
  | "Session"
  | "Diagnostics"
  | "Limits"
  | "Serve"
  | "Replay"
  | "General";

interface OptionSpec {
  readonly name: string;
  readonly short?: string;
  /** The name of its value in help texts. An option without one is a switch. */
  readonly value?: string;
  /** The possible values, for completion. */
  readonly words?: readonly string[];
  readonly multiple?: boolean;
  readonly group: OptionGroup;
  readonly help: string;
  /** The commands that take it. */
  readonly on: readonly CommandName[];
}

const TURN = ["prompt", "chat"] as const;
/** The commands that show turns and answer questions of the agent. */
const SHOWN = [...TURN, "attach"] as const;
const CONNECT = ["prompt", "chat", "sessions", "doctor"] as const;
const START = [...CONNECT, "proxy"] as const;
const ALL = [
  "prompt",
  "chat",
  "agents",
  "sessions",
  "doctor",
  "proxy",
  "serve",
  "hub",
  "attach",
  "replay",
  "completion",
  "help",
] as const;

/** The versions of the protocol that can be asked for. */
export const PROTOCOLS = ["1", "2", "newest"] as const;

export const OUTPUT_MODES = ["text", "simple", "jsonl", "json", "events"] as const;

/** All options. Parsing, help, completions and the man page are generated from this table. */
export const OPTIONS = [
  {
    name: "agent",
    short: "a",
    value: "NAME",
    group: "Agent",
    on: [...START, "serve"],
    help: "agent from the settings or the catalogue",
  },
  {
    name: "agent-command",
    value: "CMD",
    group: "Agent",
    on: START,
    help: 'command line of an agent, such as "gemini --acp"',
  },
  {
    name: "agent-url",
    value: "URL",
    group: "Agent",
    on: [...START, "attach"],
    help: "address of an agent on a server: ws, wss, http or https (with -C: a folder there)",
  },
  {
    name: "token-file",
    value: "FILE",
    group: "Agent",
    on: [...START, "serve", "attach"],
    help: "file with the token for that server, which only you can read (serve: created if absent)",
  },
  {
    name: "remote-files",
    group: "Agent",
    on: [...TURN, "proxy"],
    help: "let an agent on a server use the files and terminals of this machine",
  },
  {
    name: "settings",
    value: "FILE",
    group: "Agent",
    on: [...START, "agents", "serve"],
    help: "use this settings file instead of the project's and yours",
  },
  {
    name: "trust-project",
    group: "Agent",
    on: [...START, "agents", "serve"],
    help: "trust this folder's .dragoman/settings.json as it is now",
  },
  {
    name: "protocol",
    value: "VERSION",
    words: PROTOCOLS,
    group: "Agent",
    on: START,
    help: "version of the protocol: 1 (default), 2 (a draft) or newest",
  },
  {
    name: "warm",
    value: "TIME",
    group: "Agent",
    on: TURN,
    help: "keep the agent running for this long after this run, such as 10m; off: do not",
  },
  {
    name: "auth",
    value: "METHOD",
    group: "Agent",
    on: CONNECT,
    help: "sign in first, with one of the agent's methods",
  },
  {
    name: "cwd",
    short: "C",
    value: "DIR",
    group: "Agent",
    on: [...START, "agents", "serve"],
    help: "workspace folder (default: the current one); for a server, its folder or root",
  },
  {
    name: "file",
    short: "f",
    value: "FILE",
    multiple: true,
    group: "Prompt",
    on: ["prompt"],
    help: "read prompt text from a file (- means stdin)",
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
    on: [...CONNECT, "agents", "hub", "attach"],
    help: "text, simple, jsonl (raw frames, which may contain MCP server secrets) or events",
  },
  {
    name: "jsonl",
    short: "j",
    group: "Output",
    on: [...CONNECT, "agents", "attach"],
    help: "same as -o jsonl",
  },
  { name: "thoughts", group: "Output", on: SHOWN, help: "show the agent's thoughts" },
  {
    name: "color",
    value: "WHEN",
    words: ["auto", "always", "never"],
    group: "Output",
    on: ALL,
    help: "when to use colour: auto, always or never",
  },
  {
    name: "verbose",
    short: "v",
    group: "Output",
    on: [...CONNECT, "serve", "attach"],
    help: "show the agent's stderr and any non-protocol output",
  },
  { name: "write", group: "Permissions", on: SHOWN, help: "allow writing in the workspace" },
  { name: "exec", group: "Permissions", on: SHOWN, help: "allow running commands" },
  {
    name: "yolo",
    group: "Permissions",
    on: SHOWN,
    help: "allow everything, including reads (but not writes) outside the workspace",
  },
  {
    name: "permissions",
    value: "FILE",
    group: "Permissions",
    on: [...SHOWN, "proxy", "serve"],
    help: "file with rules for tool kinds, paths and commands; the first match decides",
  },
  {
    name: "audit-log",
    value: "FILE",
    group: "Permissions",
    on: ["proxy", "serve"],
    help: "file for every permission decision (default: audit.jsonl in the state folder)",
  },
  {
    name: "strict-permissions",
    group: "Permissions",
    on: ["prompt"],
    help: "exit with code 5 if a permission was denied",
  },
  {
    name: "no-ask",
    group: "Permissions",
    on: SHOWN,
    help: "never ask on the terminal; the flags alone decide",
  },
  { name: "no-fs", group: "Permissions", on: TURN, help: "do not offer the agent file access" },
  { name: "no-terminal", group: "Permissions", on: TURN, help: "do not offer the agent terminals" },
  {
    name: "observe",
    group: "Session",
    on: ["attach"],
    help: "only watch the session",
  },
  {
    name: "resume",
    value: "ID",
    group: "Session",
    on: TURN,
    help: "resume a session",
  },
  {
    name: "continue",
    short: "c",
    group: "Session",
    on: TURN,
    help: "resume the last session of this agent in this folder",
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
    help: "set one of the session's config options",
  },
  {
    name: "all",
    group: "Session",
    on: ["sessions"],
    help: "list the sessions of all folders, not just this one",
  },
  {
    name: "list-caps",
    group: "Diagnostics",
    on: ["prompt"],
    help: "print the agent's capabilities",
  },
  { name: "list-modes", group: "Diagnostics", on: ["prompt"], help: "print the session's modes" },
  {
    name: "list-commands",
    group: "Diagnostics",
    on: ["prompt"],
    help: "print the agent's slash commands",
  },
  {
    name: "record",
    value: "FILE",
    group: "Diagnostics",
    on: CONNECT,
    help: "record all protocol messages, with secrets removed",
  },
  {
    name: "record-dir",
    value: "DIR",
    group: "Diagnostics",
    on: ["proxy"],
    help: "record all protocol messages of each run in a file there, with secrets removed",
  },
  {
    name: "doctor",
    group: "Diagnostics",
    on: ["proxy"],
    help: "check the agent through the proxy, as an editor would start it, and exit",
  },
  {
    name: "timeout",
    value: "TIME",
    group: "Limits",
    on: [...TURN, "hub"],
    help: "time limit for a turn and for each wait before it, such as 90, 90s or 5m",
  },
  {
    name: "idle-timeout",
    value: "TIME",
    group: "Limits",
    on: [...TURN, "proxy"],
    help: "time limit for silence within a turn",
  },
  {
    name: "start-timeout",
    value: "TIME",
    group: "Limits",
    on: [...CONNECT, "attach"],
    help: "time limit for the agent to start (default: 60s, or --timeout if shorter)",
  },
  {
    name: "fail-on",
    value: "REASONS",
    group: "Limits",
    on: ["prompt"],
    help: "exit with code 10 for these stop reasons: refusal,max_tokens,... or any",
  },
  ...SERVE_OPTIONS,
  {
    name: "step-timeout",
    value: "TIME",
    group: "Replay",
    on: ["replay"],
    help: "time limit for each message expected from the client (default: 30s)",
  },
  {
    name: "realtime",
    group: "Replay",
    on: ["replay"],
    help: "keep the pauses in the recording",
  },
  { name: "help", short: "h", group: "General", on: ALL, help: "print help" },
  { name: "version", short: "V", group: "General", on: ALL, help: "print the version" },
] as const satisfies readonly OptionSpec[];

type Spec = (typeof OPTIONS)[number];
export type OptionName = Spec["name"];
export type ListName = Extract<Spec, { readonly multiple: true }>["name"];
export type TextName = Exclude<Extract<Spec, { readonly value: string }>["name"], ListName>;
export type FlagName = Exclude<OptionName, TextName | ListName>;

/** The same table with one type for every option, for code that treats all options alike. */
export const ALL_OPTIONS: readonly (OptionSpec & { readonly name: OptionName })[] = OPTIONS;

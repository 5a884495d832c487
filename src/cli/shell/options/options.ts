import { ALL, CONNECT, FLEET, RUN, SHOWN, START, TURN, type OptionSpec } from "./commands.ts";
import { CHECK_OPTIONS } from "./check-options.ts";
import { FLEET_OPTIONS } from "./fleet-options.ts";
import { INSPECT_OPTIONS } from "./inspect-options.ts";
import { LIMIT_OPTIONS } from "./limit-options.ts";
import { SERVE_OPTIONS } from "./serve-options.ts";
import { SESSION_OPTIONS } from "./session-options.ts";

export {
  AGENT_ACTIONS,
  COMMANDS,
  CONFIG_ACTIONS,
  FLEET_ACTIONS,
  HUB_ACTIONS,
  JOB_ACTIONS,
  SESSION_ACTIONS,
  type CommandName,
  type OptionGroup,
} from "./commands.ts";
export { CHECK_WORDS } from "./check-options.ts";
export { EXPORT_FORMATS } from "./session-options.ts";

/** The versions of the protocol that can be asked for. */
export const PROTOCOLS = ["1", "2", "newest"] as const;

export const OUTPUT_MODES = ["text", "simple", "jsonl", "json", "events", "result"] as const;

/** All options. Parsing, help, completions and the man page are generated from this table. */
export const OPTIONS = [
  {
    name: "agent",
    short: "a",
    value: "NAME",
    group: "Agent",
    on: [...START, "serve", "compare", "check", "inspect", "worker", "gateway", "jobs"],
    help: "agent from the settings or the catalogue (for compare: two or more, as A,B)",
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
    on: [...START, "attach", "check", "jobs"],
    help: "address of an agent on a server: ws, wss, http or https (with -C: a folder there)",
  },
  {
    name: "token-file",
    value: "FILE",
    group: "Agent",
    on: [...START, "serve", "attach", "check", "gateway", "jobs"],
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
    on: [...START, "compare", "agents", "config", "serve", "check", "inspect", ...FLEET],
    help: "use this settings file instead of the project's and yours",
  },
  {
    name: "trust-project",
    group: "Agent",
    on: [...START, "compare", "agents", "serve", "check", "inspect", "worker"],
    help: "trust this folder's .dragoman/settings.json as it is now",
  },
  {
    name: "registry",
    value: "FILE|URL",
    group: "Install",
    on: ["agents"],
    help: "look the agent up in this registry, in the format of the ACP registry",
  },
  {
    name: "sha256",
    value: "HASH",
    group: "Install",
    on: ["agents"],
    help: "expected hash of the archive, if the registry gives none",
  },
  {
    name: "protocol",
    value: "VERSION",
    words: PROTOCOLS,
    group: "Agent",
    on: [...START, "compare", "check"],
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
    on: [...CONNECT, "compare", "check"],
    help: "sign in first, with one of the agent's methods",
  },
  {
    name: "cwd",
    short: "C",
    value: "DIR",
    group: "Agent",
    on: [...START, "compare", "agents", "config", "serve", "inspect", "worker", "jobs"],
    help: "workspace folder (default: the current one); for a server, its folder or root",
  },
  {
    name: "file",
    short: "f",
    value: "FILE",
    multiple: true,
    group: "Prompt",
    on: ["prompt", "compare", "jobs"],
    help: "read prompt text from a file (- means stdin)",
  },
  {
    name: "image",
    value: "FILE",
    multiple: true,
    group: "Prompt",
    on: ["prompt", "compare"],
    help: "attach an image",
  },
  {
    name: "no-stdin",
    group: "Prompt",
    on: ["prompt", "compare"],
    help: "do not read stdin",
  },
  {
    name: "schema",
    value: "FILE",
    group: "Prompt",
    on: ["prompt", "jobs"],
    help: "require an answer in JSON that matches this JSON Schema, and print it alone",
  },
  {
    name: "schema-retries",
    value: "N",
    group: "Prompt",
    on: ["prompt", "jobs"],
    help: "how often the agent may correct its answer (default: 2)",
  },
  {
    name: "outputmode",
    short: "o",
    value: "MODE",
    words: OUTPUT_MODES,
    group: "Output",
    on: [...CONNECT, "compare", "agents", "config", "hub", "attach", "jobs", "fleet"],
    help: "text, simple, events, result, or jsonl (raw frames, which may contain MCP server secrets)",
  },
  {
    name: "jsonl",
    short: "j",
    group: "Output",
    on: [...CONNECT, "agents", "config", "attach"],
    help: "same as -o jsonl",
  },
  {
    name: "raw",
    group: "Output",
    on: SHOWN,
    help: "print the answer as it is, without rendering Markdown on a terminal",
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
    on: [...CONNECT, "compare", "agents", "serve", "attach", "worker", "gateway"],
    help: "show the agent's stderr and any non-protocol output",
  },
  {
    name: "write",
    group: "Permissions",
    on: [...SHOWN, "compare"],
    help: "allow writing in the workspace",
  },
  { name: "exec", group: "Permissions", on: [...SHOWN, "compare"], help: "allow running commands" },
  {
    name: "yolo",
    group: "Permissions",
    on: [...SHOWN, "compare"],
    help: "allow everything, including reads (but not writes) outside the workspace",
  },
  {
    name: "permissions",
    value: "FILE",
    group: "Permissions",
    on: [...SHOWN, "compare", "proxy", "serve", "worker", "jobs"],
    help: "file with rules for tool kinds, paths and commands; the first match decides",
  },
  {
    name: "audit-log",
    value: "FILE",
    group: "Permissions",
    on: ["proxy", "serve", "worker", "gateway"],
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
    on: [...SHOWN, "compare"],
    help: "never ask on the terminal; the flags alone decide",
  },
  { name: "no-fs", group: "Permissions", on: RUN, help: "do not offer the agent file access" },
  { name: "no-terminal", group: "Permissions", on: RUN, help: "do not offer the agent terminals" },
  ...SESSION_OPTIONS,
  {
    name: "keep",
    value: "NAME",
    group: "Compare",
    on: ["compare"],
    help: "apply the changes of this agent from the last comparison",
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
    name: "list-models",
    group: "Diagnostics",
    on: ["prompt"],
    help: "print the session's models",
  },
  {
    name: "list-options",
    group: "Diagnostics",
    on: ["prompt"],
    help: "print the session's config options and their values",
  },
  {
    name: "prompt",
    group: "Diagnostics",
    on: ["doctor"],
    help: "also send a short prompt, so that success means a prompt worked",
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
    on: ["proxy", "check"],
    help: "record each run in a file there, with secrets removed (check: each failed case)",
  },
  {
    name: "doctor",
    group: "Diagnostics",
    on: ["proxy"],
    help: "check the agent through the proxy, as an editor would start it, and exit",
  },
  ...CHECK_OPTIONS,
  ...INSPECT_OPTIONS,
  ...LIMIT_OPTIONS,
  ...SERVE_OPTIONS,
  ...FLEET_OPTIONS,
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
  {
    name: "yes",
    short: "y",
    group: "General",
    on: ["agents", "sessions"],
    help: "agree to what is printed, without a question",
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

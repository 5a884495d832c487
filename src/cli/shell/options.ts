/** The groups of options in help texts, in the order of the manual. */
export const GROUPS = [
  "Agent",
  "Install",
  "Prompt",
  "Output",
  "Permissions",
  "Session",
  "Compare",
  "Diagnostics",
  "Check",
  "Inspect",
  "Limits",
  "Serve",
  "Fleet",
  "Replay",
  "General",
] as const;

export type OptionGroup = (typeof GROUPS)[number];

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
}

/** The versions of the protocol that can be asked for. */
export const PROTOCOLS = ["1", "2", "newest"] as const;

export const OUTPUT_MODES = ["text", "simple", "jsonl", "json", "events", "result"] as const;

/** The formats of `--findings`. */
export const FINDINGS_FORMATS = ["text", "json"] as const;

/** Whose disk and terminals an agent on a server works with. */
export const FILES_CHOICES = ["server", "client"] as const;

/**
 * The options that commands share, and those that help texts list among them. Other options are declared by
 * their command. Commands name the options that they take.
 */
export const OPTIONS = [
  {
    name: "agent",
    short: "a",
    value: "NAME",
    group: "Agent",
    help: "agent from the settings or the catalogue (for compare: two or more, as A,B)",
  },
  {
    name: "agent-command",
    value: "CMD",
    group: "Agent",
    help: 'command line of an agent, such as "gemini --acp"',
  },
  {
    name: "agent-url",
    value: "URL",
    group: "Agent",
    help: "address of an agent on a server: ws, wss, http or https (with -C: a folder there)",
  },
  {
    name: "token-file",
    value: "FILE",
    group: "Agent",
    help: "file with the token for that server, which only you can read (serve: created if absent)",
  },
  {
    name: "remote-files",
    group: "Agent",
    help: "let an agent on a server use the files and terminals of this machine",
  },
  {
    name: "settings",
    value: "FILE",
    group: "Agent",
    help: "use this settings file instead of the project's and yours",
  },
  {
    name: "trust-project",
    group: "Agent",
    help: "trust this folder's .dragoman/settings.json as it is now",
  },
  {
    name: "protocol",
    value: "VERSION",
    words: PROTOCOLS,
    group: "Agent",
    help: "version of the protocol: 1 (default), 2 (a draft) or newest",
  },
  {
    name: "warm",
    value: "TIME",
    group: "Agent",
    help: "keep the agent running for this long after this run, such as 10m; off: do not",
  },
  {
    name: "auth",
    value: "METHOD",
    group: "Agent",
    help: "sign in first, with one of the agent's methods",
  },
  {
    name: "cwd",
    short: "C",
    value: "DIR",
    group: "Agent",
    help: "workspace folder (default: the current one); for a server, its folder or root",
  },
  {
    name: "file",
    short: "f",
    value: "FILE",
    multiple: true,
    group: "Prompt",
    help: "read prompt text from a file (- means stdin)",
  },
  {
    name: "image",
    value: "FILE",
    multiple: true,
    group: "Prompt",
    help: "attach an image",
  },
  {
    name: "no-stdin",
    group: "Prompt",
    help: "do not read stdin",
  },
  {
    name: "schema",
    value: "FILE",
    group: "Prompt",
    help: "require an answer in JSON that matches this JSON Schema, and print it alone",
  },
  {
    name: "schema-retries",
    value: "N",
    group: "Prompt",
    help: "how often the agent may correct its answer (default: 2)",
  },
  {
    name: "outputmode",
    short: "o",
    value: "MODE",
    words: OUTPUT_MODES,
    group: "Output",
    help: "text, simple, events, result, or jsonl (raw frames, which may contain MCP server secrets)",
  },
  {
    name: "jsonl",
    short: "j",
    group: "Output",
    help: "same as -o jsonl",
  },
  {
    name: "raw",
    group: "Output",
    help: "print the answer as it is, without rendering Markdown on a terminal",
  },
  { name: "thoughts", group: "Output", help: "show the agent's thoughts" },
  {
    name: "color",
    value: "WHEN",
    words: ["auto", "always", "never"],
    group: "Output",
    help: "when to use colour: auto, always or never",
  },
  {
    name: "verbose",
    short: "v",
    group: "Output",
    help: "show the agent's stderr and any non-protocol output",
  },
  {
    name: "write",
    group: "Permissions",
    help: "allow writing in the workspace",
  },
  { name: "exec", group: "Permissions", help: "allow running commands" },
  {
    name: "yolo",
    group: "Permissions",
    help: "allow everything, including reads (but not writes) outside the workspace",
  },
  {
    name: "permissions",
    value: "FILE",
    group: "Permissions",
    help: "file with rules for tool kinds, paths and commands; the first match decides",
  },
  {
    name: "audit-log",
    value: "FILE",
    group: "Permissions",
    help: "file for every permission decision (default: audit.jsonl in the state folder)",
  },
  {
    name: "strict-permissions",
    group: "Permissions",
    help: "exit with code 5 if a permission was denied",
  },
  {
    name: "no-ask",
    group: "Permissions",
    help: "never ask on the terminal; the flags alone decide",
  },
  { name: "no-fs", group: "Permissions", help: "do not offer the agent file access" },
  { name: "no-terminal", group: "Permissions", help: "do not offer the agent terminals" },
  {
    name: "resume",
    value: "ID",
    optional: true,
    group: "Session",
    help: "resume a session: its id, the start of its id, its name, or nothing to choose one",
  },
  {
    name: "session",
    value: "NAME",
    group: "Session",
    help: "resume the session with this name in this folder, or start it",
  },
  {
    name: "continue",
    short: "c",
    group: "Session",
    help: "resume the last session of this agent in this folder",
  },
  {
    name: "save-session",
    value: "FILE",
    group: "Session",
    help: "write the session's id to a file",
  },
  { name: "mode", value: "MODE", group: "Session", help: "set the session's mode" },
  {
    name: "model",
    value: "MODEL",
    group: "Session",
    help: "set the session's model (check: scripted, the default, or none)",
  },
  {
    name: "set",
    value: "KEY=VALUE",
    multiple: true,
    group: "Session",
    help: "set one of the session's config options",
  },
  {
    name: "add-dir",
    value: "DIR",
    multiple: true,
    group: "Session",
    help: "one more folder that the agent may work in, if the agent supports that",
  },
  {
    name: "system-prompt",
    value: "TEXT",
    group: "Session",
    help: "add to the agent's own instructions, if it supports that (@FILE reads a file)",
  },
  { name: "observe", group: "Session", help: "only watch the session" },
  {
    name: "list-caps",
    group: "Diagnostics",
    help: "print the agent's capabilities",
  },
  { name: "list-modes", group: "Diagnostics", help: "print the session's modes" },
  {
    name: "list-commands",
    group: "Diagnostics",
    help: "print the agent's slash commands",
  },
  {
    name: "list-models",
    group: "Diagnostics",
    help: "print the session's models",
  },
  {
    name: "list-options",
    group: "Diagnostics",
    help: "print the session's config options and their values",
  },
  {
    name: "prompt",
    group: "Diagnostics",
    help: "also send a short prompt, so that success means a prompt worked",
  },
  {
    name: "record",
    value: "FILE",
    group: "Diagnostics",
    help: "record all protocol messages, with secrets removed",
  },
  {
    name: "record-dir",
    value: "DIR",
    group: "Diagnostics",
    help: "record each run in a file there, with secrets removed (check: each failed case)",
  },
  {
    name: "doctor",
    group: "Diagnostics",
    help: "check the agent through the proxy, as an editor would start it, and exit",
  },
  {
    name: "inspect",
    group: "Inspect",
    help: "show everything that is said, live, on a page in the browser",
  },
  {
    name: "export",
    value: "FILE",
    group: "Inspect",
    help: "write the page with the recording into one HTML file, which works offline",
  },
  {
    name: "findings",
    value: "FORMAT",
    words: FINDINGS_FORMATS,
    group: "Inspect",
    help: "print where the protocol was broken, as text or json, and exit; 1 if there are errors",
  },
  {
    name: "no-open",
    group: "Inspect",
    help: "print the address of the page, and do not open a browser",
  },
  {
    name: "port",
    value: "N",
    group: "Inspect",
    help: "port of the page (default: a free one)",
  },
  {
    name: "url-file",
    value: "FILE",
    group: "Inspect",
    help: "write the address of the page, with its token, to a file that only you can read",
  },
  {
    name: "keep-secrets",
    group: "Inspect",
    help: "show secrets too, which are removed otherwise; the page says so",
  },
  {
    name: "timeout",
    value: "TIME",
    group: "Limits",
    help: "time limit for a turn and for each wait before it, such as 90s or 5m (check: for the run)",
  },
  {
    name: "idle-timeout",
    value: "TIME",
    group: "Limits",
    help: "time limit for silence within a turn",
  },
  {
    name: "start-timeout",
    value: "TIME",
    group: "Limits",
    help: "time limit for the agent to start (default: 60s, or --timeout if shorter)",
  },
  {
    name: "fail-on",
    value: "REASONS",
    group: "Limits",
    help: "exit with code 10 for these stop reasons: refusal,max_tokens,... or any",
  },
  {
    name: "max-cost",
    value: "AMOUNT",
    group: "Limits",
    help: "cancel the turn and exit with code 12 if it costs more, in the agent's currency",
  },
  {
    name: "max-tokens",
    value: "N",
    group: "Limits",
    help: "the same if it uses more tokens",
  },
  {
    name: "max-tool-calls",
    value: "N",
    group: "Limits",
    help: "the same if it makes more tool calls",
  },
  {
    name: "listen",
    value: "HOST:PORT",
    group: "Serve",
    help: "address to listen on (default: port 8790 of this machine only; worker: metrics there)",
  },
  {
    name: "port-file",
    value: "FILE",
    group: "Serve",
    help: "write the port number to this file once the server listens",
  },
  {
    name: "tokens",
    value: "FILE",
    group: "Serve",
    help: "JSON file with hashes of tokens and their rights, in place of one token for everything",
  },
  {
    name: "tls-cert",
    value: "FILE",
    group: "Serve",
    help: "certificate in PEM format; read again when it changes",
  },
  {
    name: "tls-key",
    value: "FILE",
    group: "Serve",
    help: "key of the certificate",
  },
  {
    name: "insecure",
    group: "Serve",
    help: "listen on other addresses without TLS: tokens travel unencrypted",
  },
  {
    name: "host-name",
    value: "NAME",
    multiple: true,
    group: "Serve",
    help: "name by which clients reach the server, such as agents.example",
  },
  {
    name: "origin",
    value: "ORIGIN",
    multiple: true,
    group: "Serve",
    help: "web page that may connect, such as https://editor.example",
  },
  {
    name: "root",
    value: "[NAME=]DIR",
    multiple: true,
    group: "Serve",
    help: "folder that sessions may work in (default: the working folder)",
  },
  {
    name: "files",
    value: "WHOSE",
    words: FILES_CHOICES,
    group: "Serve",
    help: "whose files and terminals the agent gets: server (default) or client",
  },
  {
    name: "grace",
    value: "TIME",
    group: "Serve",
    help: "how long turns go on after a client's connection is lost (default: 30s)",
  },
  {
    name: "drain-timeout",
    value: "TIME",
    group: "Serve",
    help: "how long running turns may take after SIGTERM (default: 60s)",
  },
  {
    name: "agent-idle",
    value: "TIME",
    group: "Serve",
    help: "end an agent that was not used for this long; the next use starts it again (serve: 10m)",
  },
  {
    name: "session-idle",
    value: "TIME",
    group: "Serve",
    help: "close a session that was not used for this long (default: 30m; worker: 10m)",
  },
  {
    name: "connection-idle",
    value: "TIME",
    group: "Serve",
    help: "end a connection without traffic after this time (default: 30m)",
  },
  {
    name: "stall-timeout",
    value: "TIME",
    group: "Serve",
    help: "cut off a client that reads nothing for this long (default: 60s)",
  },
  {
    name: "max-connections",
    value: "N",
    group: "Serve",
    help: "connections that may be open at once (default: 256)",
  },
  {
    name: "max-sessions",
    value: "N",
    group: "Serve",
    help: "sessions that one token may have open (default: 100; worker: in all, 16)",
  },
  {
    name: "max-message",
    value: "MIB",
    group: "Serve",
    help: "longest message of a client, in MiB (default: 16)",
  },
  {
    name: "nats",
    value: "URL",
    multiple: true,
    group: "Fleet",
    help: "address of a NATS server of the fleet, such as nats://127.0.0.1:4222",
  },
  {
    name: "nats-credentials",
    value: "FILE",
    group: "Fleet",
    help: "seed of fleet config, or credentials of nsc, which only you can read",
  },
  {
    name: "nats-ca",
    value: "FILE",
    group: "Fleet",
    help: "authorities that sign the certificates of the NATS servers; requires TLS",
  },
  {
    name: "nats-cert",
    value: "FILE",
    group: "Fleet",
    help: "certificate of this process, if the NATS servers ask for one",
  },
  {
    name: "nats-key",
    value: "FILE",
    group: "Fleet",
    help: "key of that certificate",
  },
  {
    name: "pool",
    value: "NAME",
    group: "Fleet",
    help: "group of workers (default: main)",
  },
  {
    name: "yes",
    short: "y",
    group: "General",
    help: "agree to what is printed, without a question",
  },
  { name: "help", short: "h", group: "General", help: "print help" },
  { name: "version", short: "V", group: "General", help: "print the version" },
] as const satisfies readonly OptionSpec[];

type Shared = (typeof OPTIONS)[number];
export type SharedOption = Shared["name"];

/** The names of those options that may be repeated, have one value, or are switches. */
export type ListName<Option = Shared> = Named<Extract<Option, { readonly multiple: true }>>;
export type TextName<Option = Shared> = Exclude<
  Named<Extract<Option, { readonly value: string }>>,
  ListName<Option>
>;
export type FlagName<Option = Shared> = Exclude<Named<Option>, TextName<Option> | ListName<Option>>;
type Named<Option> = Option extends { readonly name: infer Name extends string } ? Name : never;

/** Options that several commands take together. */
type Names = readonly SharedOption[];

/** Which agent to start, where, and with which settings. */
export const AGENT: Names = [
  "agent",
  "agent-command",
  "agent-url",
  "token-file",
  "settings",
  "trust-project",
  "protocol",
  "cwd",
];
/** Starting the agent and talking to it, with output for people and programs. */
export const CONNECTION: Names = [
  ...AGENT,
  "auth",
  "outputmode",
  "jsonl",
  "verbose",
  "record",
  "start-timeout",
];
export const PERMISSIONS: Names = ["write", "exec", "yolo", "permissions", "no-ask"];
export const BUDGET: Names = ["max-cost", "max-tokens", "max-tool-calls"];
/** Live pages of `dragoman inspect`. */
export const PAGE: Names = ["no-open", "port", "url-file", "keep-secrets"];
/** Turns in a session of its own or a stored one, as a prompt and a chat run them. */
export const TURNS: Names = [
  ...CONNECTION,
  "remote-files",
  "warm",
  "raw",
  "thoughts",
  ...PERMISSIONS,
  "no-fs",
  "no-terminal",
  "resume",
  "session",
  "continue",
  "save-session",
  "mode",
  "model",
  "set",
  "add-dir",
  "system-prompt",
  "inspect",
  ...PAGE,
  "timeout",
  "idle-timeout",
  ...BUDGET,
];
/** Everything that listens until a signal ends it. */
export const LISTENER: Names = [
  "listen",
  "port-file",
  "insecure",
  "drain-timeout",
  "max-sessions",
  "settings",
  "verbose",
  "audit-log",
];
/** Serving clients with tokens over the network. */
export const SERVER: Names = [
  ...LISTENER,
  "token-file",
  "tokens",
  "tls-cert",
  "tls-key",
  "host-name",
  "origin",
  "connection-idle",
  "stall-timeout",
  "max-connections",
  "max-message",
];
/** The servers of a fleet. */
export const NATS: Names = ["nats", "nats-credentials", "nats-ca", "nats-cert", "nats-key"];

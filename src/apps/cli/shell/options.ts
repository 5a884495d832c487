/** The groups of options, in the order of help texts and the manual. */
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

type OptionGroup = (typeof GROUPS)[number];

/**
 * Options by group: each flag as help shows it, and its purpose. A flag without a value is a switch. The
 * value in `[ID]` may be left out, and `FILE...` may be repeated.
 */
export type OptionTable = {
  readonly [Group in OptionGroup]?: Readonly<Record<`${"" | `-${string}, `}--${string}`, string>>;
};

export interface OptionSpec {
  readonly name: string;
  readonly short: string | undefined;
  /** The name of its value in help texts; undefined for a switch. */
  readonly value: string | undefined;
  /** A value that is left out is the empty text. */
  readonly isOptional: boolean;
  readonly isRepeatable: boolean;
  readonly group: OptionGroup;
  readonly help: string;
}

const FLAG = /^(?:-(\w), )?--([\w-]+)(?: (.+?)(\.{3})?)?$/;

/** The options of a table, in the order of their groups. */
export function optionsIn(table: OptionTable): readonly OptionSpec[] {
  return GROUPS.flatMap((group) =>
    Object.entries(table[group] ?? {}).map(([flag, help]) => {
      const [, short, name = "", value, repeated] = FLAG.exec(flag) ?? [];
      const [, optional] = /^\[(\w+)\]$/.exec(value ?? "") ?? [];
      const isOptional = optional !== undefined;
      const isRepeatable = repeated !== undefined;
      return { name, short, value: optional ?? value, isOptional, isRepeatable, group, help };
    }),
  );
}

/** The versions of the protocol that can be asked for. */
export const PROTOCOLS = ["1", "2", "newest"] as const;

export const OUTPUT_MODES = ["text", "simple", "jsonl", "json", "events", "result"] as const;

export const COLOR_CHOICES = ["auto", "always", "never"] as const;

export const FINDINGS_FORMATS = ["text", "json"] as const;

/** Whose disk and terminals an agent on a server works with. */
export const FILES_CHOICES = ["server", "client"] as const;

/**
 * The options that commands share, and those that help texts list among them. Other options are declared by
 * their command. Commands name the options that they take.
 */
export const OPTIONS = {
  Agent: {
    "-a, --agent NAME":
      "agent from the settings or the catalogue (for compare: two or more, as A,B)",
    "--agent-command CMD": 'command line of an agent, such as "gemini --acp"',
    "--agent-url URL":
      "address of an agent on a server: ws, wss, http or https (with -C: a folder there)",
    "--token-file FILE":
      "file with the token for that server, which only you can read (serve: created if absent)",
    "--remote-files": "let an agent on a server use the files and terminals of this machine",
    "--settings FILE": "use this settings file instead of the project's and yours",
    "--trust-project": "trust this folder's .dragoman/settings.json as it is now",
    "--protocol VERSION": "version of the protocol: 1 (default), 2 (a draft) or newest",
    "--warm TIME": "keep the agent running for this long after this run, such as 10m; off: do not",
    "--auth METHOD": "sign in first, with one of the agent's methods",
    "-C, --cwd DIR":
      "workspace folder (default: the current one); for a server, its folder or root",
  },
  Prompt: {
    "-f, --file FILE...": "read prompt text from a file (- means stdin)",
    "--image FILE...": "attach an image",
    "--no-stdin": "do not read stdin",
    "--schema FILE": "require an answer in JSON that matches this JSON Schema, and print it alone",
    "--schema-retries N": "how often the agent may correct its answer (default: 2)",
  },
  Output: {
    "-o, --outputmode MODE":
      "text, simple, events, result, or jsonl (raw frames, which may contain MCP server secrets)",
    "-j, --jsonl": "same as -o jsonl",
    "--raw": "print the answer as it is, without rendering Markdown on a terminal",
    "--thoughts": "show the agent's thoughts",
    "--color WHEN": "when to use color: auto, always or never",
    "-v, --verbose": "show the agent's stderr and any non-protocol output",
  },
  Permissions: {
    "--write": "allow writing in the workspace",
    "--exec": "allow running commands",
    "--yolo": "allow everything, including reads (but not writes) outside the workspace",
    "--permissions FILE":
      "file with rules for tool kinds, paths and commands; the first match decides",
    "--audit-log FILE":
      "file for every permission decision (default: audit.jsonl in the state folder)",
    "--strict-permissions": "exit with code 5 if a permission was denied",
    "--no-ask": "never prompt on the terminal; the flags alone decide",
    "--no-fs": "do not offer the agent file access",
    "--no-terminal": "do not offer the agent terminals",
  },
  Session: {
    "--resume [ID]":
      "resume a session: its id, the start of its id, its name, or nothing to choose one",
    "--session NAME": "resume the session with this name in this folder, or start it",
    "-c, --continue": "resume the last session of this agent in this folder",
    "--save-session FILE": "write the session's id to a file",
    "--mode MODE": "set the session's mode",
    "--model MODEL": "set the session's model (check: scripted, the default, or none)",
    "--set KEY=VALUE...": "set one of the session's config options",
    "--add-dir DIR...": "one more folder that the agent may work in, if the agent supports that",
    "--system-prompt TEXT":
      "add to the agent's own instructions, if it supports that (@FILE reads a file)",
    "--observe": "only watch the session",
  },
  Diagnostics: {
    "--list-caps": "print the agent's capabilities",
    "--list-modes": "print the session's modes",
    "--list-commands": "print the agent's slash commands",
    "--list-models": "print the session's models",
    "--list-options": "print the session's config options and their values",
    "--prompt": "also send a short prompt, so that success means a prompt worked",
    "--record FILE": "record all protocol messages, with secrets removed",
    "--record-dir DIR":
      "record each run in a file there, with secrets removed (check: each failed case)",
    "--doctor": "check the agent through the proxy, as an editor would start it, and exit",
  },
  Inspect: {
    "--inspect": "show the protocol messages live on a page in the browser",
    "--export FILE": "write the page with the recording into one HTML file, which works offline",
    "--findings FORMAT":
      "print protocol violations as text or json, and exit; 1 if there are errors",
    "--no-open": "print the address of the page, and do not open a browser",
    "--port N": "port of the page (default: a free one)",
    "--url-file FILE":
      "write the address of the page, with its token, to a file that only you can read",
    "--keep-secrets": "don't redact secrets (the page warns)",
  },
  Limits: {
    "--timeout TIME":
      "time limit for a turn and for each wait before it, such as 90s or 5m (check: for the run)",
    "--idle-timeout TIME": "time limit for silence within a turn",
    "--start-timeout TIME":
      "time limit for the agent to start (default: 60s, or --timeout if shorter)",
    "--fail-on REASONS": "exit with code 10 for these stop reasons: refusal,max_tokens,... or any",
    "--max-cost AMOUNT":
      "cancel the turn and exit with code 12 above this cost, in the agent's currency",
    "--max-tokens N": "cancel the turn and exit with code 12 above N tokens",
    "--max-tool-calls N": "cancel the turn and exit with code 12 above N tool calls",
  },
  Serve: {
    "--listen HOST:PORT":
      "address to listen on (default: port 8790 of this machine only; worker: metrics there)",
    "--port-file FILE": "write the port number to this file once the server listens",
    "--tokens FILE":
      "JSON file with hashes of tokens and their rights, in place of one token for everything",
    "--tls-cert FILE": "certificate in PEM format, reloaded when it changes",
    "--tls-key FILE": "key of the certificate",
    "--insecure": "listen on other addresses without TLS: tokens travel unencrypted",
    "--host-name NAME...": "name by which clients reach the server, such as agents.example",
    "--origin ORIGIN...": "web page that may connect, such as https://editor.example",
    "--root [NAME=]DIR...": "folder that sessions may work in (default: the working folder)",
    "--files WHOSE": "whose files and terminals the agent gets: server (default) or client",
    "--grace TIME": "how long turns go on after a client's connection is lost (default: 30s)",
    "--drain-timeout TIME": "how long running turns may take after SIGTERM (default: 60s)",
    "--agent-idle TIME":
      "end an agent that was not used for this long; the next use starts it again (serve: 10m)",
    "--session-idle TIME":
      "close a session that was not used for this long (default: 30m; worker: 10m)",
    "--connection-idle TIME": "end a connection without traffic after this time (default: 30m)",
    "--stall-timeout TIME": "cut off a client that reads nothing for this long (default: 60s)",
    "--max-connections N": "connections that may be open at once (default: 256)",
    "--max-sessions N": "sessions that one token may have open (default: 100; worker: in all, 16)",
    "--max-message MIB": "longest message of a client, in MiB (default: 16)",
  },
  Fleet: {
    "--nats URL...": "address of a NATS server of the fleet, such as nats://127.0.0.1:4222",
    "--nats-credentials FILE":
      "seed of fleet config, or credentials of nsc, which only you can read",
    "--nats-ca FILE": "authorities that sign the certificates of the NATS servers; requires TLS",
    "--nats-cert FILE": "certificate of this process, if the NATS servers ask for one",
    "--nats-key FILE": "key of that certificate",
    "--pool NAME": "group of workers (default: main)",
  },
  General: {
    "-y, --yes": "agree to what is printed, without a question",
    "-h, --help": "print help",
    "-V, --version": "print the version",
  },
} as const satisfies OptionTable;

/** The possible values of options, for completion. */
export const OPTION_WORDS: Readonly<Record<string, readonly string[]>> = {
  protocol: PROTOCOLS,
  outputmode: OUTPUT_MODES,
  color: COLOR_CHOICES,
  findings: FINDINGS_FORMATS,
  files: FILES_CHOICES,
};

type Shared = typeof OPTIONS;
export type SharedOption = NameOf<Long<Shared>>;

/** The names of those options that may be repeated, have one value, or are switches. */
export type ListName<Table = Shared> = NameOf<Extract<Long<Table>, `${string}...`>>;
export type TextName<Table = Shared> = NameOf<
  Exclude<Extract<Long<Table>, `${string} ${string}`>, `${string}...`>
>;
export type FlagName<Table = Shared> = Exclude<Long<Table>, `${string} ${string}`>;

/** The flags of a table, without their letters and dashes. */
type Long<Table> =
  Flag<Table> extends infer F
    ? F extends `-${string}, --${infer Rest}`
      ? Rest
      : F extends `--${infer Rest}`
        ? Rest
        : never
    : never;
type Flag<Table> = { [Group in keyof Table]: keyof Table[Group] }[keyof Table];
type NameOf<Rest> = Rest extends `${infer Name} ${string}` ? Name : Rest;

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
export const NATS: Names = ["nats", "nats-credentials", "nats-ca", "nats-cert", "nats-key"];

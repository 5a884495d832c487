/** One agent that the command line knows by name. Entries are data only; they hold no code. */
export interface CatalogueEntry {
  readonly name: string;
  readonly title: string;
  /** `self` is this package's own demo agent or Droid adapter. */
  readonly command: string | { readonly self: "demo" | "droid" };
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Commands that must be on the PATH for it to work. Default: its own command. */
  readonly needs?: readonly string[];
  /** Where to look besides the PATH: a variable that names it, and folders under the home folder. */
  readonly searchPaths?: { readonly variable: string; readonly folders: readonly string[] };
  readonly install: string;
  /** Its npm package in the tried version, for `agents install`. */
  readonly npm?: {
    readonly package: string;
    readonly integrity: string;
    /** A file of the package that must run once, because install scripts do not run. */
    readonly setUp?: string;
  };
  readonly signIn?: string;
  readonly switches?: AgentSwitches;
  /** The keys of `_meta` that clients of `dragoman serve` may set when they open a session. */
  readonly meta?: readonly string[];
  /** The version that this recipe was tested with; undefined if it only follows the documentation. */
  readonly tried?: string;
}

/** The things that an agent needs from its client beyond the protocol. */
export interface AgentSwitches {
  /**
   * Gemini CLI (seen in 0.61.0) reads a file before it creates it, and fails if that read returns an
   * error. A missing file must read as an empty one.
   */
  readonly missingFilesReadEmpty?: boolean;
  /**
   * Gemini CLI (seen in 0.61.0) answers `session/load` while it still replays the conversation. The
   * updates after the answer are replay too, until it falls silent.
   */
  readonly replaysLate?: boolean;
}

/** The agents known by name. Those in this package come first. */
export const CATALOGUE: readonly CatalogueEntry[] = [
  {
    name: "droid",
    title: "Factory Droid, through droid-acp",
    command: { self: "droid" },
    args: [],
    needs: ["droid"],
    searchPaths: { variable: "DROID_EXECUTABLE", folders: [".local/bin", ".factory/bin", "bin"] },
    install: "curl -fsSL https://app.factory.ai/cli | sh",
    signIn: "droid, then /login; or FACTORY_API_KEY",
    tried: "0.225.2",
  },
  {
    name: "demo",
    title: "the embedded agent; needs no model and no account",
    command: { self: "demo" },
    args: [],
    needs: [],
    install: "it is part of dragoman",
  },
  {
    name: "claude",
    title: "Claude Agent",
    command: "claude-agent-acp",
    args: [],
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    npm: {
      package: "@agentclientprotocol/claude-agent-acp",
      integrity:
        "sha512-tK5lNtoI85IS0K8PVKYK86t/ARgCS1AjEw+u6QSNmdu0tbhyeB6FTNzFnGNIgsL/3xYwrQUMFDC6osT1aIPReQ==",
    },
    signIn: "claude /login; or ANTHROPIC_API_KEY",
    meta: ["systemPrompt"],
    tried: "0.99.1",
  },
  {
    name: "claude-zed",
    title: "Claude Code, the older adapter",
    command: "claude-code-acp",
    args: [],
    install: "npm install -g @zed-industries/claude-code-acp",
    npm: {
      package: "@zed-industries/claude-code-acp",
      integrity:
        "sha512-D8BJe6CCD49RtNFbZYPsfZOpQI8Z/EzhyYC9zAGMwN/HVunEtVY2sXqYl1iDSkkayzhqABfaDkDZfeqDM1T/aA==",
    },
    signIn: "claude /login; or ANTHROPIC_API_KEY",
    meta: ["systemPrompt"],
    tried: "0.16.2",
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    command: "gemini",
    args: ["--acp"],
    install: "npm install -g @google/gemini-cli",
    npm: {
      package: "@google/gemini-cli",
      integrity:
        "sha512-dbQ9A0qBtFJNi6XBkHvfZ6Azpn6PNgH/P8h2MZ67RLlX8hSAVjup39CRWqdRxZv7YXIuhrFaytr8y0jKnkoxnQ==",
    },
    signIn: "gemini; or GEMINI_API_KEY",
    switches: { missingFilesReadEmpty: true, replaysLate: true },
    tried: "0.61.0",
  },
  {
    name: "codex",
    title: "Codex, through codex-acp",
    command: "codex-acp",
    args: [],
    install: "npm install -g @agentclientprotocol/codex-acp",
    npm: {
      package: "@agentclientprotocol/codex-acp",
      integrity:
        "sha512-/PBsd0H6URy4bhXhAeXqwb7RqctbXfNceRihAh6nDmn5HJ873uzoHvHxF45YmeWfgOKKRrNRLZjYsket2a7EsQ==",
    },
    signIn: "codex login; or OPENAI_API_KEY with --auth api-key",
    tried: "2.6.0",
  },
  {
    name: "opencode",
    title: "OpenCode",
    command: "opencode",
    args: ["acp"],
    install: "npm install -g opencode-ai",
    npm: {
      package: "opencode-ai",
      // Links the program for this machine (1.18.33).
      setUp: "postinstall.mjs",
      integrity:
        "sha512-58P1ffLRXiAY4QeoABqUjqf6DEzm1ihpovvn9Ad+oOLbLiwK/rf88wruT9IATJ7AtNjmi8iA7pC8tN4o5y799Q==",
    },
    signIn: "opencode auth login",
    tried: "1.18.33",
  },
  {
    name: "qwen",
    title: "Qwen Code",
    command: "qwen",
    args: ["--acp"],
    install: "npm install -g @qwen-code/qwen-code",
    npm: {
      package: "@qwen-code/qwen-code",
      integrity:
        "sha512-pmexy/Nj+BKd3Un1ogqGQE8V4GJn5B6N9PQOrU1GH+lMR29kn6Bgf6YdbZa8hNIoTmAKT1LTPK+P8TibZRPPVg==",
    },
    signIn: "qwen; or OPENAI_API_KEY",
    tried: "0.24.4",
  },
  {
    name: "kimi",
    title: "Kimi Code",
    command: "kimi",
    args: ["acp"],
    install: "npm install -g @moonshot-ai/kimi-code",
    npm: {
      package: "@moonshot-ai/kimi-code",
      integrity:
        "sha512-c9rY0DS0xNOraEgUFJ5Cexz6+S3R+PczIwCVCI4eP93xv1xpIbyFLe6wyQl29VR9UMafmfQG6+dIyJcCLEAoBQ==",
    },
    signIn: "kimi login",
    tried: "2.1.0",
  },
  {
    name: "copilot",
    title: "GitHub Copilot CLI",
    command: "copilot",
    args: ["--acp", "--stdio"],
    install: "npm install -g @github/copilot",
    npm: {
      package: "@github/copilot",
      integrity:
        "sha512-mv6cTWMhMILxg5ZDgqJ6UsnpPuySCPWOPbZVaO8lL0dpmjY3VD9ZhJr6DFcG7fhUXZv6OmvLdcRCa5MJ6hBI+Q==",
    },
    signIn: "copilot login",
    tried: "1.0.102",
  },
  {
    name: "cline",
    title: "Cline",
    command: "cline",
    args: ["--acp"],
    install: "npm install -g cline",
    npm: {
      package: "cline",
      integrity:
        "sha512-6P2jgsJHp+JRUzlGR6Rp4W/zAwXPg8ihC2M9ec/VgKS4nnlGCB8Ftn17StcIjYFYtocJRkU8UGUnKF69zhv40Q==",
    },
    signIn: "cline auth",
    tried: "3.0.65",
  },
  {
    name: "pi",
    title: "Pi, through pi-acp",
    command: "pi-acp",
    args: [],
    needs: ["pi-acp", "pi"],
    install: "npm install -g pi-acp @earendil-works/pi-coding-agent",
    signIn: "pi, then /login",
    tried: "0.0.34",
  },
  {
    name: "goose",
    title: "goose",
    command: "goose",
    args: ["acp"],
    install: "curl -fsSL https://github.com/block/goose/raw/main/download_cli.sh | bash",
    signIn: "goose configure",
  },
  {
    name: "cursor",
    title: "Cursor",
    command: "cursor-agent",
    args: ["acp"],
    install: "curl -fsS https://cursor.com/install | bash",
    signIn: "cursor-agent login; or CURSOR_API_KEY",
  },
  {
    name: "kiro",
    title: "Kiro CLI",
    command: "kiro-cli",
    args: ["acp"],
    install: "curl -fsSL https://cli.kiro.dev/install | bash",
    signIn: "kiro-cli login",
  },
  {
    name: "auggie",
    title: "Auggie",
    command: "auggie",
    args: ["--acp"],
    // Otherwise it may update itself in the middle of a session.
    env: { AUGMENT_DISABLE_AUTO_UPDATE: "1" },
    install: "npm install -g @augmentcode/auggie",
    npm: {
      package: "@augmentcode/auggie",
      integrity:
        "sha512-jb4kq97pGzG0i5UyISc//LjTVlFzIywwD+VfPemiSIl58KjLfxry3KDgxWYnr1vmV8yUkySVzjLnj4ewUEbT/Q==",
    },
    signIn: "auggie login",
    tried: "0.36.0",
  },
];

export const AGENT_NAMES: readonly string[] = CATALOGUE.map(({ name }) => name);

/** How to install an entry: with Dragoman where it can, otherwise as its vendor says. */
export function installHint({ name, npm, install }: CatalogueEntry): string {
  return npm === undefined ? install : `dragoman agents install ${name}, or ${install}`;
}

export function catalogueEntry(name: string): CatalogueEntry | undefined {
  return CATALOGUE.find((entry) => entry.name === name);
}

/** The switches of the agent with this name or, failing that, of the one that starts this command. */
export function switchesFor(name: string, command: string): AgentSwitches {
  const program = command.split(/[/\\]/).at(-1) ?? command;
  const entry = catalogueEntry(name) ?? CATALOGUE.find((known) => known.command === program);
  return entry?.switches ?? {};
}

/** An entry's command line, as a person would type it. */
export function commandShown({ command, args }: CatalogueEntry): string {
  if (typeof command === "string") return [command, ...args].join(" ");
  return command.self === "demo" ? "dragoman demo-agent" : "droid-acp";
}

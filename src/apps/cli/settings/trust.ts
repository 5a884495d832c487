import { type UserEnvironment, sanitizeLine } from "../../../base/index.ts";
import { showCommand } from "../../../client/rules/index.ts";
import { sha256Hex, StateFiles } from "./files.ts";
import type { McpEntry, RemoteEntry, Settings } from "./schema.ts";

/**
 * Which project settings the user trusts. Trust covers a folder, by its real path, together with the
 * exact content of its file: after a clone or a pull that changes the file, nothing starts until the
 * user trusts it. The folder is the one that agents start in, because `./agent.mjs` in the same
 * settings is another program in another folder.
 */
export class TrustStore {
  readonly #files: StateFiles;

  constructor(io: UserEnvironment) {
    this.#files = new StateFiles(io, "trusted");
  }

  async trusts(folder: string, content: string): Promise<boolean> {
    const entry = await this.#files.read(folder);
    return entry?.["folder"] === folder && entry["content"] === sha256Hex(content);
  }

  trust(folder: string, content: string): Promise<void> {
    return this.#files.write([folder], { folder, content: sha256Hex(content) });
  }
}

export interface TrustQuestion {
  readonly file: string;
  readonly settings: Settings;
}

/**
 * Everything that trust would start or contact, as lines that are safe for a terminal. Pure. Nothing
 * is cut: a person approves only the programs and addresses that are shown.
 */
export function trustLines({ file, settings }: TrustQuestion): readonly string[] {
  const agents = [...settings.agents].flatMap(([name, { command, args, env, remote }]) =>
    remote
      ? [`  agent ${word(name)}: ${remote.url}`, ...remoteLines(remote)]
      : [`  agent ${word(name)}: ${showCommand([command, ...args])}`, ...variableLines(env)],
  );
  const lines = [
    `This folder has its own settings: ${file}`,
    ...agents,
    ...settings.mcpServers.flatMap(serverLines),
  ];
  return lines.map(sanitizeLine);
}

function remoteLines({ headers, tokenFile }: RemoteEntry): readonly string[] {
  return [
    ...headerLines(headers),
    ...(tokenFile === undefined ? [] : [`    token from ${JSON.stringify(tokenFile)}`]),
  ];
}

function serverLines(server: McpEntry): readonly string[] {
  const head = `  MCP server ${word(server.name)}:`;
  if ("url" in server) return [`${head} ${server.url}`, ...headerLines(server.headers)];
  return [`${head} ${showCommand([server.command, ...server.args])}`, ...variableLines(server.env)];
}

function headerLines(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(headers).map((name) => `    header ${word(name)}`);
}

function variableLines(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).map(([name, value]) =>
    isSecret(name)
      ? `    variable ${word(name)} (value not shown)`
      : `    variable ${word(name)}=${JSON.stringify(value)}`,
  );
}

/** Quotes a name that could pass for more than a name. */
function word(name: string): string {
  return /^[\w.@/-]+$/.test(name) ? name : JSON.stringify(name);
}

/** A credential's name has one of these words: `API_KEY`, `GITHUB_TOKEN`, `DB_PASSWORD_2`. */
const SECRET_NAME =
  /(?:^|_)[A-Z\d]*(?:KEY|TOKEN|SECRET|PASS|PASSWORD|PASSWD|PASSPHRASE|AUTH|CREDENTIALS?|COOKIE|JWT)\d*(?:_|$)/i;

/**
 * Variables that change which code runs or which computer is contacted, no matter what else their names
 * look like: `GIT_CONFIG_KEY_0`, `SSH_ASKPASS`, `AUTH_URL`.
 */
const DECIDES =
  /^(?:GIT_|LD_|DYLD_|PYTHON|RUBY|PERL|BASH|GOAUTH$)|ASKPASS$|_(?:OPTIONS|OPTS|PATH|FILE|DIR|SOCK|COMMAND|CMD|HELPER|PROXY|URL|URI|HOST|PORT|ENDPOINT|ADDRESS|SERVER)$/i;

/**
 * Decides by the name only, because a value could be made to look like a secret. All other values are
 * shown: there is no complete list of the variables that change what a program does.
 */
function isSecret(name: string): boolean {
  return SECRET_NAME.test(name) && !DECIDES.test(name);
}

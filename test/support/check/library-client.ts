/**
 * A small client made with the library, for `dragoman check client`. Usage:
 *
 *   library-client --agent COMMAND [options]
 */
import { readFile } from "node:fs/promises";
import {
  AcpClient,
  localTerminals,
  type PermissionDecision,
  type McpServerConfig,
  type PermissionRequest,
  type PromptTurn,
  type Session,
  type Timeouts,
} from "../../../src/entries/dragoman.ts";
import { splitCommandLine } from "../../../src/base/index.ts";
import { options } from "./client/options.mjs";

const EXIT_CODES: Readonly<Record<string, number>> = {
  end_turn: 0,
  max_tokens: 11,
  max_turn_requests: 12,
  refusal: 13,
  cancelled: 14,
};

function decide(request: PermissionRequest): PermissionDecision | Promise<PermissionDecision> {
  if (options.choose !== undefined) return { optionId: options.choose };
  if (options.ask) {
    const names = request.options.map(({ name }) => name).join(", ");
    process.stderr.write(`may it run? ${request.toolCall?.title ?? ""}: ${names}\n`);
    return new Promise(() => {});
  }
  return options.allow && request.signal ? "allow" : "deny";
}

async function start(): Promise<AcpClient> {
  const [command = "", ...args] = splitCommandLine(options.agent ?? "");
  const hasFiles = !options.noFs;
  return AcpClient.start({
    command,
    args,
    protocol: options.protocol === "2" ? "newest" : 1,
    clientInfo: { name: "dragoman-library", version: "1.0.0" },
    capabilities: { fs: { readTextFile: hasFiles, writeTextFile: hasFiles } },
    terminal: options.noTerminal ? undefined : localTerminals(),
    permissions: { policy: "read", ask: decide },
    timeouts: { cancelGraceMs: 2000, ...limits() },
    elicitation: {
      form: () =>
        options.ask
          ? new Promise(() => {})
          : options.form
            ? {
                action: "accept",
                content: { name: "Ada", count: 3, ratio: 0.5, isSure: true, colour: "red" },
              }
            : { action: "decline" },
    },
  });
}

function limits(): Timeouts {
  if (options.timeout === undefined) return {};
  const limit = Number(options.timeout);
  return { startMs: limit, requestMs: limit, turnMs: limit };
}

/** The servers of the file that the agent can use. */
async function mcpServers(client: AcpClient): Promise<readonly McpServerConfig[]> {
  if (options.mcp === undefined) return [];
  const servers: readonly McpServerConfig[] = JSON.parse(
    await readFile(options.mcp, "utf8"),
  ).mcp_servers;
  const { http = false, sse = false } = client.agent.capabilities.mcpCapabilities ?? {};
  return servers.filter((server) => {
    const type = "type" in server ? server.type : "stdio";
    return type === "http" ? http : type === "sse" ? sse : true;
  });
}

async function open(client: AcpClient): Promise<Session> {
  const cwd = process.cwd();
  if (options.load === undefined)
    return client.newSession({ cwd, mcpServers: await mcpServers(client) });
  return client.loadSession({ sessionId: options.load, cwd });
}

async function applySettings(session: Session): Promise<void> {
  if (options.option !== undefined) {
    const [id = "", value = ""] = options.option.split("=");
    const option = session.configOptions?.find((one) => one.id === id);
    await session.setConfigOption(id, option?.type === "boolean" ? value === "true" : value);
  }
  if (options.mode === undefined) return;
  const mode = session.configOptions?.find(({ category }) => category === "mode");
  if (mode) await session.setConfigOption(mode.id, options.mode);
  else await session.setMode(options.mode);
}

/** Shows a turn. A message with another id than the one before is a paragraph of its own. */
async function show(turn: PromptTurn): Promise<string> {
  let last: string | undefined;
  for await (const update of turn) {
    if (update.type === "tool_call") process.stderr.write(`tool: ${update.title ?? ""}\n`);
    if (update.type === "plan") {
      process.stderr.write(`plan: ${update.entries.map(({ content }) => content).join(", ")}\n`);
    }
    if (update.type !== "agent_message_chunk") continue;
    const { messageId } = update;
    if (last !== undefined && messageId !== undefined && messageId !== last) {
      process.stdout.write("\n\n");
    }
    last = messageId ?? last;
    process.stdout.write(update.text);
  }
  process.stdout.write("\n");
  return (await turn.result).stopReason;
}

async function run(client: AcpClient): Promise<number> {
  if (options.list) {
    for await (const { title } of client.listSessions({ cwd: process.cwd() })) {
      process.stdout.write(`${title ?? ""}\n`);
    }
    return 0;
  }
  const session = await open(client);
  await applySettings(session);
  process.on("SIGINT", () => void session.cancel());
  const text = { type: "text", text: "hello" } as const;
  const image = options.image === undefined ? undefined : await readFile(options.image, "base64");
  const picture =
    image === undefined ? [] : [{ type: "image", mimeType: "image/png", data: image } as const];
  let reason = await show(session.prompt([text, ...picture]));
  if (options.again) {
    await new Promise((resolve) => {
      process.stdin.once("data", resolve);
    });
    reason = await show(session.prompt("again"));
  }
  if (reason !== "end_turn") process.stderr.write(`stopped: ${reason}\n`);
  return EXIT_CODES[reason] ?? 15;
}

async function main(): Promise<number> {
  const client = await start();
  process.on("SIGTERM", () => void client.close().then(() => process.exit(143)));
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`error: ${String(error)}\n`);
    process.exit(error instanceof Error && error.name === "CancelIgnoredError" ? 14 : 1);
  },
);

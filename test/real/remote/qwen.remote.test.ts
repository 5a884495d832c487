// Our client with `qwen serve`, over WebSocket and streamable HTTP.
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AcpClient, type PermissionRequest } from "../../../src/entries/dragoman.ts";
import { openProcess, type ProcessChannel } from "../../../src/entries/wire.ts";
import { ModelServer, text, toolCall } from "../../../src/conformance/scripted-model/index.ts";
import { startProxy, type TcpProxy } from "../../transport/remote/tcp-proxy.ts";
import { cleanUp } from "../../transport/remote/rig.ts";
import { type AgentHome, createAgentHome } from "../agents/home.ts";
import { qwen } from "../agents/recipes.ts";

const TOKEN = "a-token-for-qwen";
let model: ModelServer;
let home: AgentHome;
let cwd: string;
let server: ProcessChannel;
let port: number;
let proxy: TcpProxy;

beforeAll(async () => {
  model = await ModelServer.start();
  home = await createAgentHome(qwen, model.url);
  cwd = await home.workspace();
  port = await freePort();
  const script = home.args.filter((word) => word !== "--acp");
  const options = ["serve", "--port", String(port), "--no-web", "--require-auth"];
  server = await openProcess({
    command: home.command,
    args: [...script, ...options, "--workspace", cwd],
    cwd,
    env: { ...home.overlay, QWEN_SERVER_TOKEN: TOKEN },
  });
  server.open(() => {});
  // Upgrades are refused until the server is ready, which its own health check does not say.
  await vi.waitUntil(isReady, { timeout: 60_000, interval: 250 });
  proxy = await startProxy(port);
});

afterEach(() => model.skip());

afterAll(async () => {
  await cleanUp();
  await server?.close();
  await model?.close();
  await home?.remove();
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, "127.0.0.1", resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}

async function isReady(): Promise<boolean> {
  try {
    const client = await AcpClient.start({ url: `ws://127.0.0.1:${port}/acp`, token: TOKEN });
    await client.close();
    return true;
  } catch {
    return false;
  }
}

describe.each(["ws", "http"] as const)("over %s, qwen serve", (scheme) => {
  const url = (): string => `${scheme}://127.0.0.1:${port}/acp`;
  const start = (permissions: () => "allow" | "deny" = () => "allow", address = url()) => {
    const asked: PermissionRequest[] = [];
    const ask = (request: PermissionRequest): "allow" | "deny" => {
      asked.push(request);
      return permissions();
    };
    return AcpClient.start({ url: address, token: TOKEN, permissions: ask }).then((client) => ({
      client,
      asked,
    }));
  };

  it("runs a turn", async () => {
    model.push(text("hello from the model"));
    const { client } = await start();
    await using _ = client;
    const session = await client.newSession({ cwd });
    expect(await session.prompt("hi").text()).toContain("hello from the model");
  });

  it("asks for permission and gets the answer", async () => {
    const file = join(cwd, `made-over-${scheme}`);
    model.push(
      toolCall("run_shell_command", { command: `touch ${file}`, is_background: false }),
      text("done"),
    );
    const { client, asked } = await start();
    await using _ = client;
    const session = await client.newSession({ cwd });
    expect(await session.prompt("please run it").text()).toContain("done");
    expect(asked).toHaveLength(1);
    const { existsSync } = await import("node:fs");
    expect(existsSync(file)).toBe(true);
  });

  it("loads a session that another connection made", async () => {
    model.push(text("remember this"));
    const { client: first } = await start();
    const made = await first.newSession({ cwd });
    await made.prompt("hello").text();
    const { client: second } = await start();
    await using _ = second;
    const loaded = await second.loadSession({ sessionId: made.id, cwd });
    model.push(text("back again"));
    expect(await loaded.prompt("again").text()).toContain("back again");
    await first.close();
  });

  it("refuses a wrong token", async () => {
    await expect(AcpClient.start({ url: url(), token: "wrong" })).rejects.toThrow("401");
  });
});

it("goes on with a turn over HTTP although the connections are dropped, and repeats nothing", async () => {
  const words = Array.from({ length: 40 }, (_, n) => `w${n} `).join("");
  model.push(text(words, { chunks: 40, delayMs: 25 }));
  const client = await AcpClient.start({
    url: `http://127.0.0.1:${proxy.port}/acp`,
    token: TOKEN,
    permissions: "all",
  });
  await using _ = client;
  const session = await client.newSession({ cwd });
  const turn = session.prompt("slowly");
  let answer = "";
  let drops = 0;
  for await (const update of turn) {
    if (update.type !== "agent_message_chunk") continue;
    answer += update.text;
    if (answer.includes(`w${10 * (drops + 1)} `) && drops < 3) {
      drops++;
      proxy.drop();
    }
  }
  expect(drops).toBe(3);
  expect(answer.trim()).toBe(words.trim());
});

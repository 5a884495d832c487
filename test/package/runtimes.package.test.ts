// The packed package on each runtime. `npm run test:all -- nodes` names Bun and Deno; otherwise it is the Node
// that runs the tests.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { serveAgents, webSocketListener } from "../../src/entries/agent.ts";
import { AcpClient } from "../../src/entries/dragoman.ts";
import { connectSocket, openProcess } from "../../src/entries/wire.ts";
import { unpackTarball, type Packed } from "../support/package.ts";

/** A command that runs a JavaScript file if one follows. */
interface Runtime {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

const runtimes: readonly Runtime[] = JSON.parse(
  process.env["DRAGOMAN_RUNTIMES"] ??
    JSON.stringify([{ name: "this Node", command: [process.execPath] }]),
) as Runtime[];

let packed: Packed;
beforeAll(async () => {
  packed = await unpackTarball();
  const program = fileURLToPath(new URL("runtimes-program.mjs", import.meta.url));
  await copyFile(program, join(packed.consumer, "program.mjs"));
});
afterAll(() => packed.remove());

/** Caches of the runtimes stay in the scratch folder. */
function environment(): Record<string, string> {
  return {
    HOME: packed.scratch,
    DENO_DIR: join(packed.scratch, "deno"),
    DENO_NO_UPDATE_CHECK: "1",
  };
}

describe.each(runtimes)("$name", { timeout: 60_000 }, ({ command: [command, ...prefix] }) => {
  /** Runs the program and returns its output. */
  async function output(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(command, [...prefix, "program.mjs", ...args], {
      cwd: packed.consumer,
      env: { ...process.env, ...environment() },
    });
    return stdout;
  }

  const start = (role: string, onStderr?: (text: string) => void): ReturnType<typeof openProcess> =>
    openProcess({
      command,
      args: [...prefix, "program.mjs", role],
      cwd: packed.consumer,
      env: environment(),
      stages: { eofMs: 20_000 },
      onStderr,
    });

  it("starts the demo agent as a client, and ends it", async () => {
    const bin = "node_modules/dragoman/dist/bin/dragoman.js";
    expect(await output("client", command, ...prefix, bin, "demo-agent")).toMatch(
      /hello.*\(closed\)/,
    );
  });

  it("runs an agent on stdio whose client is slow, and loses nothing", async () => {
    let sent = (): void => {};
    const allSent = new Promise<void>((resolve) => {
      sent = resolve;
    });
    const channel = await start("agent", (text) => {
      if (text.includes("sent")) sent();
    });
    const client = await AcpClient.start({ channel });
    const session = await client.newSession({ cwd: packed.consumer });
    // Far more than a pipe holds: the agent has to keep what it cannot write.
    channel.pause();
    const turn = session.prompt("flood 5000");
    await allSent;
    channel.resume();
    const lines = (await turn.text()).trimEnd().split("\n");
    expect(lines.map((line) => Number.parseInt(line, 10))).toEqual(
      Array.from({ length: 5000 }, (_, n) => n),
    );
    expect(await client.close()).toMatchObject({ kind: "closed", exit: { code: 0 } });
  });

  it("serves clients on a TCP port", async () => {
    const program = await start("listen");
    const lines: string[] = [];
    const port = await new Promise<number>((resolve) =>
      program.open((line) => {
        lines.push(line);
        resolve(Number(line));
      }),
    );
    const answers = await Promise.all(
      ["a", "b"].map(async (text) => {
        const client = await AcpClient.start({ channel: await connectSocket({ port }) });
        const session = await client.newSession({ cwd: packed.consumer });
        return await session.prompt(text).text();
      }),
    );
    expect(answers).toEqual(["heard a", "heard b"]);
    expect(await program.close()).toMatchObject({ exit: { code: 0 } });
  });

  // Node 20 has no WebSocket.
  it.skipIf(command === process.execPath && !("WebSocket" in globalThis))(
    "connects over its own WebSocket",
    async () => {
      const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
      await once(server, "listening");
      const controller = new AbortController();
      // A runtime may send an origin.
      const served = serveAgents(
        webSocketListener(server, { origins: "any" }),
        {
          info: { name: "remote", version: "1.0.0" },
          newSession: () => ({}),
          prompt: async (turn) => {
            await turn.say(`heard ${turn.text} over WebSocket`);
          },
        },
        { signal: controller.signal },
      );
      const { port } = server.address() as AddressInfo;
      const answer = await output("websocket", `ws://127.0.0.1:${port}/acp`);
      controller.abort();
      await served;
      expect(answer).toBe("heard hello over WebSocket (closed)\n");
    },
  );

  it("talks over message ports, with more than may be unread", async () => {
    expect(await output("port")).toBe("3016890 characters (ended)\n");
  });
});

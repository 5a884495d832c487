// Clients of others on `dragoman serve`, the real command: those of the official SDK over both transports,
// and the React hook of use-acp.
import { client } from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type ServeProcess, startServe } from "../../apps/cli/serve/process.ts";
import { buildBin, type BuiltBin } from "../../apps/cli/support/bin.ts";
import { processEnv } from "../../apps/cli/support/process.ts";
import { type Scratch, scratch } from "../../apps/cli/support/run.ts";
import { cleanUp } from "../../transport/remote/rig.ts";
import { useAcp } from "../clients/clients/libraries.ts";
import { modulesOf, node24, programFile, runProgram } from "../clients/program.ts";
import type { Step } from "../clients/client.ts";

let bin: BuiltBin;
let folders: Scratch;
let server: ServeProcess;

beforeAll(async () => {
  [bin, folders] = await Promise.all([buildBin(), scratch()]);
  await writeFile(join(folders.cwd, "README.md"), "# Heron\n\nCounts the herons of a pond.\n");
  server = await startServe({ bin: bin.file, folders, agent: ["-a", "demo"] });
});

afterAll(async () => {
  await cleanUp();
  await Promise.all([bin.remove(), folders.remove()]);
});

const made = (): Promise<string> => readFile(join(folders.cwd, "made.txt"), "utf8");

describe.each(["websocket", "http"] as const)("the SDK's client over %s", (transport) => {
  const headers = () => ({ authorization: `Bearer ${server.token}` });
  const stream = () =>
    transport === "http"
      ? createHttpStream(server.url, { headers: headers() })
      : createWebSocketStream(server.webSocketUrl, { WebSocket, headers: headers() });

  it("prompts, answers questions, cancels, and loads the session on another connection", async () => {
    let text = "";
    let heard = (): void => {};
    const app = client({ name: "sdk" })
      .onNotification("session/update", ({ params: { update } }) => {
        if (update.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text")
          return;
        text += update.content.text;
        heard();
      })
      .onRequest("session/request_permission", ({ params: { options } }) => ({
        outcome: {
          outcome: "selected",
          optionId: options.find(({ kind }) => kind === "allow_once")?.optionId ?? "",
        },
      }));
    const { cwd } = folders;
    let sessionId = "";
    await app.connectWith(stream(), async (remote) => {
      await remote.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
      ({ sessionId } = await remote.request("session/new", { cwd, mcpServers: [] }));
      const prompt = async (words: string) => {
        text = "";
        const blocks = [{ type: "text" as const, text: words }];
        return remote.request("session/prompt", { sessionId, prompt: blocks });
      };
      expect(await prompt("What does this project do?")).toEqual({ stopReason: "end_turn" });
      expect(text).toContain("herons");
      await prompt(`/edit made.txt over ${transport}`);
      expect(text).toContain("made.txt has one more line.");
      expect(await made()).toContain(`over ${transport}\n`);
      const started = new Promise<void>((resolve) => {
        heard = resolve;
      });
      const slow = prompt("/slow 60");
      await started;
      await remote.notify("session/cancel", { sessionId });
      expect(await slow).toEqual({ stopReason: "cancelled" });
    });
    await app.connectWith(stream(), async (remote) => {
      await remote.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
      text = "";
      await remote.request("session/load", { cwd, mcpServers: [], sessionId });
      expect(text).toContain("herons");
    });
  });
});

it("use-acp prompts, answers questions, and loads the session on another connection", async () => {
  const modules = modulesOf("use-acp");
  const agent = {
    command: "",
    args: [],
    cwd: folders.cwd,
    env: { ...processEnv(folders), PATH: process.env["PATH"] ?? "" },
  };
  const program = [join(modules, node24), programFile("use-acp.mjs")] as const;
  const { webSocketUrl: url, token } = server;
  const run = (steps: readonly Step[]) =>
    runProgram(program, agent, { steps, modules, server: { url, token } });
  const [opened, answer, written] = await run([
    { do: "open" },
    { do: "prompt", text: "What does this project do?" },
    { do: "prompt", text: "/edit made.txt by use-acp", permission: "allow" },
  ]);
  expect(answer).toMatchObject({ stopReason: "end_turn" });
  expect(answer?.text).toContain("herons");
  expect(written?.text).toContain("made.txt has one more line.");
  expect(await made()).toContain("by use-acp\n");
  const sessionId = opened?.sessionId ?? "";
  const [loaded, again] = await run([
    { do: "load", sessionId },
    { do: "prompt", text: "What does this project do?" },
  ]);
  expect(loaded?.sessionId).toBe(sessionId);
  expect(again?.text).toContain("herons");
  expect(useAcp.version).toBe("0.2.6");
});

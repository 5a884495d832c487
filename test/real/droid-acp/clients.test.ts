// Runs the droid-acp program with a client on the official SDK. Other clients are in test/real/clients.
import { Readable, Writable } from "node:stream";
import { spawn } from "node:child_process";
import { client, ndJsonStream, type AnyMessage } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { createDroidHome } from "../../support/droid/home.ts";
import { ensureDroid } from "../../support/droid/install.ts";
import { ModelServer, text, toolCall } from "../../../src/conformance/scripted-model/index.ts";
import { droidAcp } from "./bin.ts";
import { FrameJudge } from "./judge.ts";
import { describeDroids } from "../../support/droid/describe.ts";
import { later, servedDroids } from "./rig.ts";

const write = {
  summary: "Write",
  command: "echo hi > out.txt; cat out.txt",
  timeout: 60,
  riskLevel: "medium",
  riskLevelReason: "x",
};

async function prepared(version: ReturnType<typeof servedDroids>[number]) {
  const executable = await ensureDroid(version);
  const model = await ModelServer.start();
  later(() => model.close());
  const home = await createDroidHome({ modelUrl: model.url });
  later(() => home.remove());
  const args = [await droidAcp(), "--droid", executable, "--model", home.modelId];
  return { model, home, args };
}

/** Forwards messages, and passes each to a callback. */
function observed(show: (line: string) => void): TransformStream<AnyMessage, AnyMessage> {
  return new TransformStream({
    transform(message, controller) {
      show(JSON.stringify(message));
      controller.enqueue(message);
    },
  });
}

describeDroids("droid-acp works with Droid", servedDroids(), (version) => {
  test("a client made with the official SDK", async () => {
    const { model, home, args } = await prepared(version);
    const judge = new FrameJudge();
    const child = spawn(process.execPath, args, {
      env: home.env,
      cwd: home.workspace,
      stdio: ["pipe", "pipe", "inherit"],
    });
    later(async () => void child.kill("SIGKILL"));
    const received: string[] = [];
    const app = client({ name: "sdk" })
      .onNotification("session/update", ({ params }) => {
        const { update } = params;
        if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
          received.push(update.content.text);
      })
      .onRequest("session/request_permission", ({ params }) => {
        received.push(`[${params.options.map(({ kind }) => kind).join(" ")}]`);
        const [first] = params.options;
        return { outcome: { outcome: "selected", optionId: first?.optionId ?? "" } };
      });
    const pipes = ndJsonStream(
      Writable.toWeb(child.stdin),
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    );
    const sent = observed((line) => judge.saw("client", line));
    void sent.readable.pipeTo(pipes.writable);
    const stream = {
      readable: pipes.readable.pipeThrough(observed((line) => judge.saw("agent", line))),
      writable: sent.writable,
    };
    model.push([text("working"), toolCall("Execute", write)], text(" and done"));
    await app.connectWith(stream, async (agent) => {
      await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
      const { sessionId } = await agent.request("session/new", {
        cwd: home.workspace,
        mcpServers: [],
      });
      const prompt = [{ type: "text" as const, text: "go" }];
      const answer = await agent.request("session/prompt", { sessionId, prompt });
      expect(answer).toMatchObject({ stopReason: "end_turn" });
      const { sessions } = await agent.request("session/list", { cwd: home.workspace });
      expect(sessions.map((one) => one.sessionId)).toEqual([sessionId]);
      await agent.request("session/delete", { sessionId });
    });
    judge.verify();
    expect(received.join("")).toBe("working[allow_once allow_always reject_once] and done");
  });
});

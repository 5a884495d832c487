// The AI SDK on a real agent.
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelMessage, UIMessage, UIMessageChunk } from "ai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AcpProvider,
  type AcpProviderOptions,
  createAcpProvider,
} from "../../../src/entries/ai.ts";
import type { Permissions } from "../../../src/entries/dragoman.ts";
import { ai, aiLoads } from "../../support/ai-sdk.ts";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import {
  hang,
  ModelServer,
  text,
  thinking,
} from "../../../src/conformance/scripted-model/index.ts";
import { createAgentHome, type AgentHome } from "./home.ts";
import { wantedPlan } from "./recipe.ts";
import { kimi } from "./recipes.ts";

describe.skipIf(!aiLoads /* `ai` 7 needs Node 22 */)("the AI SDK on kimi", () => {
  let model: ModelServer;
  let home: AgentHome;
  let cwd: string;
  let provider: AcpProvider;

  beforeEach(async () => {
    model = await ModelServer.start();
    home = await createAgentHome(kimi, model.url);
    cwd = await home.workspace({ "notes.txt": "first line\n" });
    provider = provide();
  });

  afterEach(async () => {
    await provider.close();
    expect(await processesWithHome(home.home)).toEqual([]);
    await model.close();
    await home.remove();
  });

  function provide(permissions?: Permissions): AcpProvider {
    const { command, args, overlay } = home;
    const options: AcpProviderOptions = {
      command,
      args,
      cwd: home.home,
      env: overlay,
      session: { cwd },
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      timeouts: { startMs: 180_000, cancelGraceMs: 60_000 },
      permissions,
    };
    return createAcpProvider(options);
  }

  it("streams text, reasoning, a tool call with its result, and a plan", async () => {
    provider = provide("read");
    const path = join(cwd, "notes.txt");
    model.push(...kimi.tools.plan(wantedPlan), kimi.tools.read(path), [
      thinking("Almost done."),
      text("It has one line."),
    ]);
    const result = ai.streamText({ model: provider(), prompt: "Read notes.txt" });
    const message = await lastMessage(result.toUIMessageStream());
    const parts = message?.parts ?? [];
    expect(await result.text).toContain("It has one line.");
    expect(await result.reasoning).toMatchObject([{ text: "Almost done." }]);
    expect(parts.find((part) => part.type === "custom")).toMatchObject({
      kind: "dragoman.plan",
      providerMetadata: { dragoman: { plan: wantedPlan } },
    });
    const tools = parts.filter((part) => part.type === "dynamic-tool");
    expect(tools.map(({ state }) => state)).toEqual(["output-available", "output-available"]);
    expect(tools[1]?.callProviderMetadata).toMatchObject({ dragoman: { kind: "read" } });
    expect(JSON.stringify(tools[1]?.output)).toContain("first line");
    model.verify();
  });

  it("writes nothing by default", async () => {
    const path = join(cwd, "made.txt");
    model.push(kimi.tools.write(path, "new\n"), text("I could not write it."));
    const { content, finishReason } = await ai.generateText({
      model: provider(),
      prompt: "Write made.txt",
    });
    expect(content.map(({ type }) => type)).toContain("tool-error");
    expect(finishReason).toBe("stop");
    await expect(access(path)).rejects.toThrow("ENOENT");
  });

  it("writes if the program allows it", async () => {
    provider = provide("write");
    const path = join(cwd, "made.txt");
    model.push(kimi.tools.write(path, "new\n"), text("Written."));
    await ai.generateText({ model: provider(), prompt: "Write made.txt" });
    expect(await readFile(path, "utf8")).toBe("new\n");
  });

  it("continues the session with the messages of the answer", async () => {
    model.push(text("I will remember."));
    const messages: ModelMessage[] = [{ role: "user", content: "The word is heliotrope" }];
    const first = await ai.generateText({ model: provider(), messages });
    model.push(text("Heliotrope."));
    const second = await ai.generateText({
      model: provider(),
      messages: [...messages, ...first.responseMessages, { role: "user", content: "The word?" }],
    });
    expect(second.text).toBe("Heliotrope.");
    const prompts = model.calls.at(-1)?.messages.filter(({ role }) => role === "user") ?? [];
    const sent = prompts.map((message) => message.text).join("\n");
    expect(sent.split("heliotrope")).toHaveLength(2);
    expect(sent).not.toContain("This is the conversation so far");
  });

  it("aborts the agent's request to its model", async () => {
    const stop = hang();
    model.push([text("Once upon a time"), stop, text(" there was nobody.")]);
    const abort = new AbortController();
    const result = ai.streamText({
      model: provider(),
      prompt: "Tell a story",
      abortSignal: abort.signal,
    });
    const types: string[] = [];
    for await (const part of result.stream) {
      types.push(part.type);
      if (part.type === "text-delta") abort.abort();
    }
    expect(types.at(-1)).toBe("abort");
    expect(await (await stop.arrived).ended).toBe("aborted");
  });
});

async function lastMessage(stream: ReadableStream<UIMessageChunk>): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  for await (const message of ai.readUIMessageStream({ stream })) last = message;
  return last;
}

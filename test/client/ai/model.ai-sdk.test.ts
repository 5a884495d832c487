// The AI SDK itself, on agents in this process.
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelMessage, UIMessage, UIMessageChunk } from "ai";
import { beforeAll, describe, expect, it } from "vitest";
import { deferred } from "../../../src/base/index.ts";
import { ai, aiLoads } from "../../support/ai-sdk.ts";
import { provide, provideDemo, recordingAgent, scratchFolder, textsOf } from "./providers.ts";

const user = (text: string): UIMessage => ({
  id: crypto.randomUUID(),
  role: "user",
  parts: [{ type: "text", text }],
});

/** The message that a UI builds from a stream, after a trip through JSON. */
async function uiMessage(stream: ReadableStream<UIMessageChunk>): Promise<UIMessage> {
  let last: UIMessage | undefined;
  for await (const message of ai.readUIMessageStream({ stream })) last = message;
  return JSON.parse(JSON.stringify(last)) as UIMessage;
}

const ladder = [
  'The best matches for "ladd":\n',
  "\n- README.md:3  An orchard with a ladder.",
  "\n\nI looked at 1 file (1 md) and found 1 matching line in 1 file.",
];

describe.skipIf(!aiLoads /* `ai` 7 needs Node 22 */)("the AI SDK", () => {
  beforeAll(() => {
    globalThis.AI_SDK_LOG_WARNINGS = false;
  });

  it("streams text, tool calls with results, and plans", async () => {
    const provider = await provideDemo({ permissions: "read" });
    const result = ai.streamText({ model: provider(), prompt: "where is the ladder?" });
    const types: string[] = [];
    for await (const part of result.stream) types.push(part.type);
    expect(await result.text).toBe(ladder.join(""));
    expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
      "start",
      "start-step",
      "custom",
      "tool-input-start",
      "tool-input-end",
      "tool-call",
      "tool-result",
      "custom",
      "tool-input-start",
      "tool-input-end",
      "tool-call",
      "tool-result",
      "custom",
      "text-start",
      "text-delta",
      "text-end",
      "finish-step",
      "finish",
    ]);
    expect(await result.toolCalls).toMatchObject([
      { toolName: "search", input: { words: ["ladd"] }, providerExecuted: true, dynamic: true },
      { toolName: "read", providerExecuted: true, dynamic: true },
    ]);
    expect(await result.toolResults).toMatchObject([
      { toolName: "search", output: { rawOutput: { matchingLines: 1 } } },
      { toolName: "read", output: { locations: [{ line: 3 }] } },
    ]);
    expect(await result.finishReason).toBe("stop");
    expect(await result.finalStep.then(({ providerMetadata }) => providerMetadata)).toMatchObject({
      dragoman: {
        sessionId: expect.any(String),
        stopReason: "end_turn",
        plan: [{ status: "completed" }, { status: "completed" }, { status: "completed" }],
      },
    });
  });

  it("generates text, reasoning and the last plan", async () => {
    const provider = await provideDemo({ permissions: "read" });
    const model = provider();
    const found = await ai.generateText({ model, prompt: "where is the ladder?" });
    expect(found.text).toBe(ladder.join(""));
    expect(found.toolResults).toHaveLength(2);
    expect(found.content.filter(({ type }) => type === "custom")).toMatchObject([
      { kind: "dragoman.plan", providerMetadata: { dragoman: { plan: expect.any(Array) } } },
    ]);
    const thought = await ai.generateText({ model, prompt: "/think one two three" });
    expect(thought.reasoningText).toBe("one two three ");
  });

  it("reports how full the context of the session is", async () => {
    const provider = await provideDemo();
    const { finalStep } = await ai.generateText({ model: provider(), prompt: "/usage 100 1000" });
    expect(finalStep.providerMetadata).toMatchObject({
      dragoman: { context: { used: 100, size: 1000 }, cost: { currency: "USD" } },
    });
  });

  describe("permissions", () => {
    it("are denied by default", async () => {
      const cwd = await scratchFolder();
      const provider = await provideDemo({ session: { cwd } });
      const { toolCalls, content } = await ai.generateText({
        model: provider(),
        prompt: "/edit made.txt hello",
      });
      expect(toolCalls).toMatchObject([{ toolName: "edit" }]);
      expect(content.find(({ type }) => type === "tool-error")).toBeDefined();
      await expect(access(join(cwd, "made.txt"))).rejects.toThrow("ENOENT");
    });

    it("are decided by the program if it says so", async () => {
      const cwd = await scratchFolder();
      const provider = await provideDemo({
        session: { cwd },
        capabilities: { fs: { readTextFile: true, writeTextFile: true } },
        permissions: "write",
      });
      await ai.generateText({ model: provider(), prompt: "/edit made.txt hello" });
      expect(await readFile(join(cwd, "made.txt"), "utf8")).toContain("hello");
    });
  });

  describe("a conversation", () => {
    it("continues the session, and sends only the new message", async () => {
      const { agent, received } = recordingAgent();
      const provider = provide(agent);
      const messages: ModelMessage[] = [{ role: "user", content: "one" }];
      const first = await ai.generateText({
        model: provider(),
        messages,
        instructions: "Be brief.",
      });
      messages.push(...first.responseMessages, { role: "user", content: "two" });
      const second = await ai.generateText({
        model: provider(),
        messages,
        instructions: "Be brief.",
      });
      expect(second.text).toBe("you said: two");
      expect(received.map(textsOf)).toEqual(["Instructions:\nBe brief.\none", "two"]);
      expect(new Set(received.map(({ sessionId }) => sessionId)).size).toBe(1);
    });

    it("continues after a trip through a UI, with several steps in one message", async () => {
      const { agent, received } = recordingAgent(async (turn) => {
        await turn.think("hm");
        const call = await turn.toolCall({ title: "Look", kind: "read", rawInput: { path: "a" } });
        await call.complete({ rawOutput: "seen" });
        await turn.say(`you said: ${turn.text}`);
      });
      const provider = provide(agent);
      const chat = [user("one")];
      const stream = ai.createUIMessageStream({
        execute: async ({ writer }) => {
          const first = ai.streamText({
            model: provider(),
            messages: await ai.convertToModelMessages(chat),
          });
          writer.merge(first.toUIMessageStream({ sendFinish: false }));
          const follow: ModelMessage[] = [
            ...(await ai.convertToModelMessages(chat)),
            ...(await first.responseMessages),
            { role: "user", content: "and then?" },
          ];
          const second = ai.streamText({ model: provider(), messages: follow });
          writer.merge(second.toUIMessageStream({ sendStart: false }));
          await second.consumeStream();
        },
      });
      const answer = await uiMessage(stream);
      expect(answer.parts.map(({ type }) => type)).toEqual([
        "step-start",
        "reasoning",
        "dynamic-tool",
        "text",
        "step-start",
        "reasoning",
        "dynamic-tool",
        "text",
      ]);
      expect(answer.parts[2]).toMatchObject({
        toolName: "read",
        state: "output-available",
        input: { path: "a" },
        output: { rawOutput: "seen" },
        callProviderMetadata: { dragoman: { title: "Look", kind: "read" } },
      });

      const next = [...chat, answer, user("three")];
      const third = ai.streamText({
        model: provider(),
        messages: await ai.convertToModelMessages(next),
      });
      expect(await third.text).toBe("you said: three");
      expect(received.map(textsOf)).toEqual(["one", "and then?", "three"]);
      expect(new Set(received.map(({ sessionId }) => sessionId)).size).toBe(1);
    });

    it("that was changed goes to a new session, as text", async () => {
      const { agent, received } = recordingAgent();
      const provider = provide(agent);
      const one: ModelMessage = { role: "user", content: "one" };
      const first = await ai.generateText({ model: provider(), messages: [one] });
      const known: ModelMessage[] = [one, ...first.responseMessages];
      await ai.generateText({
        model: provider(),
        messages: [...known, { role: "user", content: "two" }],
      });
      const edited = await ai.generateText({
        model: provider(),
        messages: [...known, { role: "user", content: "2" }],
      });
      const [, second, third] = received;
      expect(third?.sessionId).not.toBe(second?.sessionId);
      expect(received[2] && textsOf(received[2])).toBe(
        [
          "This is the conversation so far:",
          "User:",
          "one",
          "Assistant: you said: one",
          "This is the end of the conversation so far. Answer the following message.",
          "2",
        ].join("\n"),
      );
      expect(edited.warnings).toMatchObject([{ feature: "earlier messages" }]);
    });
  });

  describe("an abort", () => {
    it("cancels a stream and the turn of the agent", async () => {
      const cancelled = deferred<string>();
      const { agent } = recordingAgent(async (turn) => {
        await turn.say("thinking");
        await new Promise((resolve) => turn.signal.addEventListener("abort", resolve));
        cancelled.resolve("cancelled");
      });
      const provider = provide(agent);
      const abort = new AbortController();
      const result = ai.streamText({
        model: provider(),
        prompt: "x",
        abortSignal: abort.signal,
      });
      const types: string[] = [];
      for await (const part of result.stream) {
        types.push(part.type);
        if (part.type === "text-delta") abort.abort();
      }
      expect(types.at(-1)).toBe("abort");
      expect(await cancelled.promise).toBe("cancelled");
    });

    it("rejects generateText with the reason", async () => {
      const abort = new AbortController();
      const { agent } = recordingAgent(async (turn) => {
        abort.abort();
        await new Promise((resolve) => turn.signal.addEventListener("abort", resolve));
      });
      await expect(
        ai.generateText({ model: provide(agent)(), prompt: "x", abortSignal: abort.signal }),
      ).rejects.toMatchObject({ name: "AbortError" });
    });
  });

  describe("an error", () => {
    it("of the agent reaches a UI with its text", async () => {
      const provider = await provideDemo();
      const result = ai.streamText({ model: provider(), prompt: "/error", onError: () => {} });
      const chunks: UIMessageChunk[] = [];
      const onError = (error: unknown): string => (error instanceof Error ? error.message : "");
      for await (const chunk of result.toUIMessageStream({ onError })) chunks.push(chunk);
      expect(chunks.map(({ type }) => type).slice(-5)).toEqual([
        "text-delta",
        "text-end",
        "error",
        "finish-step",
        "finish",
      ]);
      expect(chunks.at(-3)).toMatchObject({
        errorText: "the agent answered with an error: It failed, as requested",
      });
    });

    it("is not retried, because the agent may have done something already", async () => {
      const { agent, received } = recordingAgent(() => Promise.reject(new Error("full disk")));
      await expect(
        ai.generateText({ model: provide(agent)(), prompt: "x", maxRetries: 5 }),
      ).rejects.toMatchObject({ name: "AcpProviderError", code: "remote_error" });
      expect(received).toHaveLength(1);
    });

    it("is recognized by the AI SDK's own classes", async () => {
      const provider = await provideDemo();
      const unknown = await ai
        .generateText({ model: provider("gpt"), prompt: "x" })
        .catch((error: unknown) => error);
      expect(ai.NoSuchModelError.isInstance(unknown)).toBe(true);
      expect(ai.AISDKError.isInstance(unknown)).toBe(true);
    });
  });

  it("warns about settings that an agent does not have", async () => {
    const provider = await provideDemo();
    const { warnings } = await ai.generateText({
      model: provider(),
      prompt: "/help",
      temperature: 0,
      tools: { mine: ai.tool({ inputSchema: ai.jsonSchema({ type: "object" }) }) },
    });
    expect(warnings).toMatchObject([
      { type: "unsupported", feature: "temperature" },
      { type: "unsupported", feature: "tools" },
    ]);
  });

  it("gets JSON by asking for it", async () => {
    const { agent, received } = recordingAgent(async (turn) => {
      await turn.say("Let me look.");
      await (await turn.toolCall({ title: "Look" })).complete();
      await turn.say('```json\n{ "color": "green" }\n```');
    });
    const schema = ai.jsonSchema<{ color: string }>({
      type: "object",
      properties: { color: { type: "string" } },
      required: ["color"],
    });
    const { output } = await ai.generateText({
      model: provide(agent)(),
      prompt: "Which color?",
      output: ai.Output.object({ schema }),
    });
    expect(output).toEqual({ color: "green" });
    expect(received[0] && textsOf(received[0])).toContain('"color":{"type":"string"}');
  });

  it("passes files and links on without downloading anything", async () => {
    const { agent, received } = recordingAgent(undefined, { promptCapabilities: { image: true } });
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    await ai.generateText({
      model: provide(agent)(),
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Compare" },
            { type: "file", data: png, mediaType: "image" },
            {
              type: "file",
              data: new URL("https://example.com/a.pdf"),
              mediaType: "application/pdf",
            },
            { type: "file", data: new URL("file:///tmp/b.txt"), mediaType: "text/plain" },
          ],
        },
      ],
    });
    expect(received[0]?.prompt).toMatchObject([
      { type: "text", text: "Compare" },
      { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
      { type: "resource_link", uri: "https://example.com/a.pdf", mimeType: "application/pdf" },
      { type: "resource_link", uri: "file:///tmp/b.txt" },
    ]);
  });

  it("finds the models of a provider in a registry", async () => {
    const provider = await provideDemo();
    const registry = ai.createProviderRegistry({ agent: provider });
    const { text } = await ai.generateText({
      model: registry.languageModel("agent:default"),
      prompt: "/think quietly",
    });
    expect(text).not.toBe("");
    expect(() => registry.embeddingModel("agent:x")).toThrow("an agent is a language model");
  });
});

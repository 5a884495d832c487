import { getEventListeners } from "node:events";
import type { LanguageModelV4Content, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { deferred } from "../../../src/base/index.ts";
import { answerTo, ask, follow, readAll, textOf } from "./call-options.ts";
import { provide, recordingAgent, textsOf } from "./providers.ts";
import { ContentCollector } from "../../../src/client/ai/model.ts";
import type { SessionConfigOption } from "../../../src/protocol/acp/index.ts";

/** An agent that waits until its turn is cancelled. */
function waitingAgent() {
  const started = deferred();
  const cancelled = deferred<string>();
  const { agent } = recordingAgent(async (turn) => {
    if (turn.text === "go on") return turn.say("still here");
    await turn.say("thinking");
    started.resolve();
    await new Promise((resolve) => turn.signal.addEventListener("abort", resolve));
    cancelled.resolve("cancelled");
  });
  return { agent, started: started.promise, cancelled: cancelled.promise };
}

describe("a stream", () => {
  it("loses nothing if the program reads it late", async () => {
    const words = Array.from({ length: 3000 }, (_, n) => `${n} `);
    const said = deferred();
    const { agent } = recordingAgent(async (turn) => {
      for (const [n, word] of words.entries()) {
        await turn.say(word);
        // More than a turn keeps for a reader that has not come yet.
        if (n === 700) said.resolve();
      }
    });
    const { stream } = await provide(agent)().doStream(ask("count"));
    await said.promise;
    const parts = await readAll(stream);
    const text = parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
    expect(text).toBe(words.join(""));
  });

  it("that the program leaves cancels the turn, and the session goes on", async () => {
    const { agent, started, cancelled } = waitingAgent();
    const model = provide(agent)();
    const call = ask("wait");
    const { stream } = await model.doStream(call);
    const reader = stream.getReader();
    const next = (): Promise<unknown> => reader.read();
    for (let n = 0; n < 4; n++) await next();
    await started;
    const pending = next();
    await reader.cancel();
    await pending;
    expect(await cancelled).toBe("cancelled");
    expect(await answerTo(model, ask("go on"))).toBe("still here");
  });

  it("that was aborted fails with the reason of the signal", async () => {
    const { agent, started, cancelled } = waitingAgent();
    const abort = new AbortController();
    const { stream } = await provide(agent)().doStream(ask("wait", { abortSignal: abort.signal }));
    const parts = readAll(stream);
    await started;
    abort.abort(new Error("the user left"));
    await expect(parts).rejects.toThrow("the user left");
    expect(await cancelled).toBe("cancelled");
  });

  it("includes the updates as they are, if asked", async () => {
    const { agent } = recordingAgent();
    const { stream } = await provide(agent)().doStream(ask("x", { includeRawChunks: true }));
    expect((await readAll(stream)).filter(({ type }) => type === "raw")).toMatchObject([
      { rawValue: { sessionUpdate: "agent_message_chunk" } },
    ]);
  });
});

describe("an abort", () => {
  it("before the call sends nothing", async () => {
    const { agent, received } = recordingAgent();
    const abortSignal = AbortSignal.abort(new Error("too late"));
    const model = provide(agent)();
    await expect(model.doGenerate(ask("x", { abortSignal }))).rejects.toThrow("too late");
    await expect(model.doStream(ask("x", { abortSignal }))).rejects.toThrow("too late");
    expect(received).toEqual([]);
  });

  it("signal that outlives its calls keeps nothing of them", async () => {
    const { agent } = recordingAgent();
    const model = provide(agent)();
    const { signal } = new AbortController();
    for (let n = 0; n < 3; n++) await answerTo(model, ask("x", { abortSignal: signal }));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("leaves the session usable, and it is continued", async () => {
    const model = provide(waitingAgent().agent)();
    const abort = new AbortController();
    const call = ask("wait", { abortSignal: abort.signal });
    const { stream } = await model.doStream(call);
    const content: LanguageModelV4Content[] = [];
    const reading = (async () => {
      for await (const part of stream) {
        if (part.type === "text-start") {
          content.push({ ...part, type: "text", text: "thinking" });
          abort.abort();
        }
      }
    })();
    await expect(reading).rejects.toThrow("aborted");
    const next = follow(ask("wait"), { content }, "go on");
    const result = await model.doGenerate(next);
    expect(textOf(result.content)).toBe("still here");
    expect(result.warnings).toEqual([]);
  });
});

describe("a session", () => {
  it("is new for every call without a conversation", async () => {
    const { agent, received } = recordingAgent();
    const model = provide(agent)();
    await answerTo(model, ask("one"));
    await answerTo(model, ask("two"));
    expect(received[0]?.sessionId).not.toBe(received[1]?.sessionId);
  });

  it("gets instructions once, and again when they change", async () => {
    const { agent, received } = recordingAgent();
    const model = provide(agent)();
    const system = (content: string) => ({ role: "system" as const, content });
    const first = ask("one");
    first.prompt.unshift(system("Be brief."));
    const second = follow(first, await model.doGenerate(first), "two");
    const third = follow(second, await model.doGenerate(second), "three");
    third.prompt[0] = system("Be kind.");
    const { warnings } = await model.doGenerate(third);
    expect(received.map(textsOf)).toEqual([
      "Instructions:\nBe brief.\none",
      "two",
      "Instructions:\nBe kind.\nthree",
    ]);
    expect(warnings).toMatchObject([{ feature: "system messages" }]);
  });

  it("continues only with the answer's own turn, which cannot be guessed", async () => {
    const { agent, received } = recordingAgent();
    const model = provide(agent)();
    const first = ask("one");
    await model.doGenerate(first);
    const sessionId = received[0]?.sessionId ?? "";
    const forged = {
      content: [
        { type: "text", text: "x", providerMetadata: { dragoman: { sessionId, turnId: "?" } } },
      ],
    } as const;
    await model.doGenerate(follow(first, { content: [...forged.content] }, "two"));
    expect(received[1]?.sessionId).not.toBe(sessionId);
  });

  it("continues after a call without an answer, and gets its message again", async () => {
    const { agent, received } = recordingAgent(async (turn) => {
      if (turn.text !== "nothing") await turn.say("yes");
    });
    const model = provide(agent)();
    const first = ask("one");
    const answer = await model.doGenerate(first);
    const second = follow(first, answer, "nothing");
    await model.doGenerate(second);
    await model.doGenerate({ prompt: [...second.prompt, ...ask("three").prompt] });
    expect(received.map(textsOf)).toEqual(["one", "nothing", "nothing\nthree"]);
    expect(new Set(received.map(({ sessionId }) => sessionId)).size).toBe(1);
  });

  it("answers two calls at once, one after the other", async () => {
    const { agent, received } = recordingAgent();
    const provider = provide(agent);
    await answerTo(provider(), ask("one"));
    const model = provider("default", { sessionId: received[0]?.sessionId });
    const answers = await Promise.all(["two", "three"].map((text) => answerTo(model, ask(text))));
    expect(answers).toEqual(["you said: two", "you said: three"]);
    expect(new Set(received.map(({ sessionId }) => sessionId)).size).toBe(1);
  });

  it("can be named for one call", async () => {
    const { agent, received } = recordingAgent();
    const model = provide(agent)();
    await answerTo(model, ask("one"));
    const sessionId = received[0]?.sessionId ?? "";
    await answerTo(model, ask("two", { providerOptions: { dragoman: { sessionId } } }));
    expect(received[1]?.sessionId).toBe(sessionId);
  });

  it("that the agent cannot reopen is reported", async () => {
    const { agent } = recordingAgent();
    const model = provide(agent)("default", { sessionId: "gone" });
    await expect(model.doGenerate(ask("x"))).rejects.toMatchObject({
      code: "session_not_found",
      message: 'the session "gone" is not open, and the agent can neither resume nor load sessions',
    });
  });

  it.each([
    ["resumed", "resumeSession"],
    ["loaded", "loadSession"],
  ] as const)("that is stored is %s, once, for all calls", async (_how, method) => {
    const reopened: string[] = [];
    const { agent, received } = recordingAgent(undefined, {
      [method]: ({ sessionId }: { sessionId: string }) => {
        reopened.push(sessionId);
        return {};
      },
    });
    const model = provide(agent)("default", { sessionId: "stored" });
    await Promise.all([answerTo(model, ask("one")), answerTo(model, ask("two"))]);
    await answerTo(model, ask("three"));
    expect(reopened).toEqual(["stored"]);
    expect(received).toHaveLength(3);
  });

  it("must be named by a string", async () => {
    const { agent } = recordingAgent();
    const call = ask("x", { providerOptions: { dragoman: { sessionId: 7 } } });
    await expect(provide(agent)().doGenerate(call)).rejects.toMatchObject({
      code: "invalid_argument",
    });
  });

  it("is closed when too many others are idle", async () => {
    const closed: string[] = [];
    const allClosed = deferred();
    const { agent, received } = recordingAgent(undefined, {
      closeSession: (session) => {
        closed.push(session.id);
        if (closed.length === 2) allClosed.resolve();
      },
    });
    const model = provide(agent, { maxSessions: 1 })();
    for (const text of ["one", "two", "three"]) await answerTo(model, ask(text));
    await allClosed.promise;
    expect(closed).toEqual(received.slice(0, 2).map(({ sessionId }) => sessionId));
  });
});

describe("a login", () => {
  const locked = (signedIn: { value: boolean }) =>
    recordingAgent(undefined, {
      authMethods: [{ id: "key", name: "Key" }],
      authenticate: () => {
        signedIn.value = true;
      },
      isAuthenticated: () => signedIn.value,
    }).agent;

  it("is used if the program names it", async () => {
    const model = provide(locked({ value: false }), { auth: "key" })();
    expect(await answerTo(model, ask("x"))).toBe("you said: x");
  });

  it("is named in the error otherwise", async () => {
    const model = provide(locked({ value: false }))();
    await expect(model.doGenerate(ask("x"))).rejects.toMatchObject({
      code: "auth_required",
      message: expect.stringMatching(/requires a login.*\(it offers: key\); sign in with/),
    });
  });
});

it("a file that the agent does not accept is a readable error", async () => {
  const { agent, received } = recordingAgent();
  const prompt = [
    {
      role: "user" as const,
      content: [
        {
          type: "file" as const,
          mediaType: "image/png",
          data: { type: "data" as const, data: "AAAA" },
        },
      ],
    },
  ];
  await expect(provide(agent)().doGenerate({ prompt })).rejects.toMatchObject({
    code: "unsupported",
    message: expect.stringContaining("does not accept files of type image/png"),
  });
  expect(received).toEqual([]);
});

function collected(parts: readonly LanguageModelV4StreamPart[]): ContentCollector {
  const collector = new ContentCollector();
  for (const part of parts) collector.add(part);
  return collector;
}

const plan = (n: number): LanguageModelV4StreamPart => ({
  type: "custom",
  kind: "dragoman.plan",
  providerMetadata: { dragoman: { n } },
});
const text = (...words: string[]): LanguageModelV4StreamPart[] => [
  { type: "text-start", id: "1" },
  ...words.map((delta) => ({ type: "text-delta" as const, id: "1", delta })),
  { type: "text-end", id: "1" },
];
const result: LanguageModelV4StreamPart = {
  type: "tool-result",
  toolCallId: "1",
  toolName: "x",
  result: {},
};

it("text goes on after a plan in the middle of it, and the last plan stays", () => {
  const [start, ...rest] = text("b");
  const parts = start ? [plan(1), start, plan(2), ...rest] : [];
  expect(collected(parts).result.content).toEqual([{ type: "text", text: "b" }, plan(2)]);
});

it("the end of the stream becomes the end of the answer", () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const finishReason = { unified: "stop", raw: "end_turn" } as const;
  const warnings = [{ type: "other", message: "x" } as const];
  const collector = collected([
    { type: "stream-start", warnings },
    { type: "response-metadata", id: "r" },
    { type: "finish", usage, finishReason },
  ]);
  const response = { id: "r" };
  expect(collector.result).toEqual({ content: [], warnings, response, usage, finishReason });
});

it("an answer without an end was interrupted", () => {
  expect(collected(text("a")).result.finishReason.unified).toBe("interrupted");
});

describe("the text for JSON", () => {
  it.each([
    ["the whole text", text(' {"a":1} '), '{"a":1}'],
    ["the text after the last tool call", [...text("hm"), result, ...text("1")], "1"],
    ["the inside of a fence", text("```json\n", "1", "\n```"), "1"],
    ["unchanged if there is more than a fence", text("x\n```\n1\n```"), "x\n```\n1\n```"],
  ])("is %s", (_what, parts, expected) => {
    expect(collected(parts).finalText).toBe(expected);
  });
});

const model: SessionConfigOption = {
  id: "llm",
  name: "Model",
  category: "model",
  type: "select",
  currentValue: "small",
  options: [
    {
      group: "g",
      name: "All",
      options: ["small", "large"].map((value) => ({ value, name: value })),
    },
  ],
};
const mode: SessionConfigOption = {
  id: "how",
  name: "Mode",
  category: "mode",
  type: "select",
  currentValue: "ask",
  options: ["ask", "plan"].map((value) => ({ value, name: value })),
};

/** An agent with options, and the changes that clients made to them. */
function configurable(options: readonly SessionConfigOption[]) {
  const changes: [string, string | boolean][] = [];
  let current = options;
  const { agent } = recordingAgent(undefined, {
    configOptions: () => [...current],
    setConfigOption: (_session, id, value) => {
      changes.push([id, value]);
      current = current.map((option) =>
        option.id === id && option.type === "select" && typeof value === "string"
          ? { ...option, currentValue: value }
          : option,
      );
    },
  });
  return { agent, changes };
}

describe("the model", () => {
  it("is switched once, to one that the agent offers", async () => {
    const { agent, changes } = configurable([model]);
    const large = provide(agent)("large", { sessionId: undefined });
    const { response } = await large.doGenerate(ask("x"));
    expect(changes).toEqual([["llm", "large"]]);
    expect(response?.modelId).toBe("large");
  });

  it("stays as it is if it is already in use, or not requested", async () => {
    const { agent, changes } = configurable([model]);
    const provider = provide(agent);
    await provider("small").doGenerate(ask("x"));
    const { response } = await provider().doGenerate(ask("x"));
    expect(changes).toEqual([]);
    expect(response?.modelId).toBe("small");
  });

  it.each([
    [[model], "it offers these: small, large"],
    [[mode], "it offers no choice of models"],
  ])("must be one of those on offer", async (options, message) => {
    const { agent } = configurable(options);
    await expect(provide(agent)("huge").doGenerate(ask("x"))).rejects.toMatchObject({
      code: "not_found",
      modelId: "huge",
      message: expect.stringContaining(message),
    });
  });
});

describe("the mode", () => {
  it("is an option if the agent has one for it", async () => {
    const { agent, changes } = configurable([mode]);
    await provide(agent)("default", { mode: "plan" }).doGenerate(ask("x"));
    expect(changes).toEqual([["how", "plan"]]);
  });

  it("is a mode of the session otherwise", async () => {
    const modes: string[] = [];
    const { agent } = recordingAgent(undefined, {
      modes: () => ({
        currentModeId: "ask",
        availableModes: ["ask", "plan"].map((id) => ({ id, name: id })),
      }),
      setMode: (_session, id) => {
        modes.push(id);
      },
    });
    await provide(agent)("default", { mode: "plan" }).doGenerate(ask("x"));
    await provide(recordingAgent().agent)("default", {}).doGenerate(ask("x"));
    expect(modes).toEqual(["plan"]);
  });
});

it("other options are set by id", async () => {
  const { agent, changes } = configurable([model, mode]);
  const settings = { config: { llm: "small", how: "plan" } };
  await provide(agent)("default", settings).doGenerate(ask("x"));
  expect(changes).toEqual([["how", "plan"]]);
});

describe("a call of the AI SDK", () => {
  it.each([
    ["ai/6.0.326", "6"],
    ["my-app/1.2 ai/5.0.9", "5"],
  ])("from %s fails before the agent sees it", async (agentHeader, major) => {
    const { agent, received } = recordingAgent();
    const call = ask("hi", { headers: { "User-Agent": agentHeader } });
    const model = provide(agent)();
    const expected = {
      name: "AcpUnsupportedError",
      code: "unsupported",
      functionality: `ai ${major}`,
      message: `dragoman/ai needs version 7 of the package "ai", but version ${major} made this call; install ai@7, which supports Node 22 and newer`,
    };
    await expect(model.doGenerate(call)).rejects.toMatchObject(expected);
    await expect(model.doStream(call)).rejects.toMatchObject(expected);
    expect(received).toEqual([]);
  });

  it.each(["ai/7.0.169", "ai/8.1.0", "openai/5.0.0", "ai/5-fork"])(
    "from %s reaches the agent",
    async (agentHeader) => {
      const { agent } = recordingAgent();
      const call = ask("hi", { headers: { "user-agent": agentHeader } });
      expect(await answerTo(provide(agent)(), call)).toBe("you said: hi");
    },
  );
});

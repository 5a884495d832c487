import { afterEach, describe, expect, test } from "vitest";
import {
  brokenStream,
  hang,
  httpError,
  ModelServer,
  text,
  toolCall,
  type ModelServerOptions,
  type ScriptEntry,
} from "../../../src/conformance/scripted-model/index.ts";
import { splitReplyText, type WireItem } from "../../../src/conformance/scripted-model/reply.ts";
import { cutAfterChunks } from "../../../src/conformance/scripted-model/deliver.ts";

const tools = [{ type: "function", function: { name: "Read", parameters: {} } }];
const servers: ModelServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(script: ScriptEntry[], options?: ModelServerOptions): Promise<ModelServer> {
  const server = await ModelServer.start(script, options);
  servers.push(server);
  return server;
}

function ask(server: ModelServer, body: object = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer not-needed", "content-type": "application/json" },
    body: JSON.stringify({
      model: "m",
      stream: true,
      tools,
      messages: [{ role: "user", content: "hi" }],
      ...body,
    }),
    ...(signal === undefined ? {} : { signal }),
  });
}

describe("the script", () => {
  test("is played step by step, and every call is recorded", async () => {
    const server = await start([text("first"), text("second")]);
    const first = await ask(server);
    expect(first.headers.get("content-type")).toBe("text/event-stream");
    expect(await first.text()).toContain("first");
    expect(await (await ask(server)).text()).toContain("second");
    const call = await server.nextCall();
    expect(call).toMatchObject({ index: 0, model: "m", messages: [{ role: "user", text: "hi" }] });
    expect(call.headers.authorization).toBe("Bearer not-needed");
    expect(await call.ended).toBe("sent");
    expect((await server.nextCall()).index).toBe(1);
    server.verify();
  });

  test("may be a function of the request", async () => {
    const server = await start([async (call) => text(`you said ${call.messages[0]?.text}`)]);
    expect(await (await ask(server)).text()).toContain("you said hi");
  });

  test("answers in one body when the request does not ask for a stream", async () => {
    const server = await start([text("whole")]);
    const answer = await ask(server, { stream: false });
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "whole" } }] });
  });

  test("must match the number of calls", async () => {
    const server = await start([text("only")]);
    expect(() => server.verify()).toThrow("1 step(s)");
    await (await ask(server)).text();
    server.verify();
    await (await ask(server)).text();
    expect(() => server.verify()).toThrow("call 2 came after the last step");
  });

  test("may have a fallback", async () => {
    const server = await start([], { fallback: text("again") });
    await (await ask(server)).text();
    expect(await (await ask(server)).text()).toContain("again");
    server.verify();
  });

  test("may fail, which is reported and breaks the call", async () => {
    const server = await start([
      () => {
        throw new Error("oops");
      },
    ]);
    await expect(ask(server)).rejects.toThrow();
    expect(() => server.verify()).toThrow("oops");
  });
});

describe("auxiliary calls", () => {
  test("use no step and get a harmless answer", async () => {
    const server = await start([text("for the turn")]);
    expect(await (await ask(server, { tools: [] })).text()).toContain("Scripted title");
    expect(server.auxiliaryCalls).toHaveLength(1);
    expect(await (await ask(server)).text()).toContain("for the turn");
    expect(server.calls).toHaveLength(1);
  });

  test("get an answer that fits their schema", async () => {
    const server = await start([]);
    const schema = {
      type: "object",
      properties: { title: { type: "string" } },
      required: ["title"],
    };
    const answer = await ask(server, {
      tools: [],
      stream: false,
      response_format: { json_schema: { schema } },
    });
    expect(await answer.text()).toContain(String.raw`{\"title\":\"scripted\"}`);
  });

  test("can be scripted and detected in another way", async () => {
    const server = await start([], { isAuxiliary: () => true, auxiliary: text("mine") });
    expect(await (await ask(server)).text()).toContain("mine");
    expect(server.calls).toHaveLength(0);
  });
});

describe("the server", () => {
  test("sends an HTTP error with the dialect's body, or with the given body and headers", async () => {
    const server = await start([
      httpError(429),
      httpError(503, { mine: true }, { "retry-after": "1" }),
    ]);
    const first = await ask(server);
    expect(first.status).toBe(429);
    expect(await first.json()).toMatchObject({ error: { code: "429" } });
    const second = await ask(server);
    expect([second.status, second.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await second.json()).toEqual({ mine: true });
  });

  test.each([
    ["after some deltas", brokenStream(2)],
    ["at one point of the step", brokenStream()],
  ])("breaks a stream %s", async (_where, broken) => {
    const server = await start([[text("abc", { chunks: 3 }), broken, text("never")]]);
    const answer = await ask(server);
    await expect(answer.text()).rejects.toThrow();
    expect(await server.calls[0]?.ended).toBe("cut");
  });

  test("holds the rest of a reply until a hang is released", async () => {
    const pause = hang();
    const server = await start([[text("before"), pause, text("after")]]);
    const answer = await ask(server);
    const call = await pause.arrived;
    expect(call).toBe(server.calls[0]);
    pause.release();
    expect(await answer.text()).toMatch(/before[^]*after[^]*\[DONE\]/);
  });

  test("holds the headers too when the hang comes first", async () => {
    const pause = hang();
    const server = await start([[pause, httpError(500)]]);
    const answer = ask(server);
    await pause.arrived;
    pause.release();
    expect((await answer).status).toBe(500);
  });

  test("notices that an agent disconnects", async () => {
    const pause = hang();
    const server = await start([[pause, toolCall("Read")]]);
    const abort = new AbortController();
    const answer = ask(server, {}, abort.signal);
    const call = await pause.arrived;
    abort.abort();
    await expect(answer).rejects.toThrow();
    expect(await call.ended).toBe("aborted");
  });

  test("ends pending replies and waiting tests when it closes", async () => {
    const pause = hang();
    const server = await start([pause]);
    const answer = expect(ask(server)).rejects.toThrow();
    const call = await pause.arrived;
    await server.nextCall();
    const waiting = expect(server.nextCall()).rejects.toThrow("closed");
    await server.close();
    await waiting;
    await answer;
    expect(await call.ended).toBe("aborted");
  });

  test("answers and records an unknown path", async () => {
    const server = await start([]);
    expect((await fetch(`${server.url}/nowhere`)).status).toBe(404);
    expect(server.otherRequests).toEqual([{ method: "GET", path: "/nowhere" }]);
  });
});

describe("splitReplyText", () => {
  test.each([
    ["abcdef", 3, ["ab", "cd", "ef"]],
    ["abc", 10, ["a", "b", "c"]],
    ["", 4, [""]],
    ["abc", 1, ["abc"]],
    ["a😀b", 3, ["a", "😀", "b"]],
  ])("cuts %j into %i chunks", (whole, chunks, expected) => {
    expect(splitReplyText(whole, chunks)).toEqual(expected);
    expect(expected.join("")).toBe(whole);
  });
});

test("gives every tool call its own id", () => {
  expect(toolCall("A").id).not.toBe(toolCall("A").id);
});

describe("cutAfterChunks", () => {
  const send = (data: string, content: boolean): WireItem => ({ kind: "send", data, content });
  const stream = [send("head", false), send("1", true), send("2", true), send("tail", false)];

  test.each([
    [0, ["head"]],
    [1, ["head", "1"]],
    [2, ["head", "1", "2", "tail"]],
  ])("breaks the stream after %i content deltas", (chunks, expected) => {
    const items = cutAfterChunks(stream, chunks);
    expect(items.at(-1)).toEqual({ kind: "cut" });
    expect(items.flatMap((item) => (item.kind === "send" ? [item.data] : []))).toEqual(expected);
  });
});

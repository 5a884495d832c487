import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { droidFailure, turnEnd } from "../../src/adapter/turn/ends.ts";
import { pageAfter, sessionInfos } from "../../src/adapter/session/listing.ts";
import {
  ignoredNotices,
  mcpNotices,
  noticeAsText,
  noticeOf,
  serverNotices,
} from "../../src/adapter/translate/notices.ts";
import { toPlan } from "../../src/adapter/translate/plan.ts";
import { nameOf, toPromptInput } from "../../src/adapter/translate/prompt.ts";
import { replay } from "../../src/adapter/session/replay.ts";
import { adapterStateFolder, SessionIds } from "../../src/adapter/session/session-ids.ts";
import { ToolIds } from "../../src/adapter/turn/tool-ids.ts";
import { contextReport, contextUse, turnUsage } from "../../src/adapter/session/usage.ts";
import {
  DroidError,
  DroidExitedError,
  type DroidEvent,
  type HistoryTurn,
  type McpServerStatus,
  type DroidStopReason,
} from "../../src/entries/droid.ts";
import { RpcError } from "../../src/rpc/index.ts";
import { strictFaults } from "../support/schema.ts";

describe("a prompt", () => {
  it.each([
    [[{ type: "text", text: "hi" }], { text: "hi" }],
    [[], undefined],
    [[{ type: "text", text: " \n" }], undefined],
    [
      [
        { type: "text", text: "see " },
        { type: "resource_link", uri: "file:///a", name: "a]" },
        { type: "text", text: ", ok?" },
      ],
      { text: "see [@a\\]](file:///a), ok?" },
    ],
    [
      [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      { text: "a\nb" },
    ],
    [
      [{ type: "image", data: "AA", mimeType: "image/png" }],
      { text: "", images: [{ data: "AA", mediaType: "image/png" }] },
    ],
    [
      [{ type: "resource", resource: { uri: 'file:///"x"', text: "T" } }],
      { text: '\n<resource uri="file:///&quot;x&quot;">\nT\n</resource>\n' },
    ],
    [
      [
        {
          type: "resource",
          resource: { uri: "file:///d/i.png", blob: "AA", mimeType: "image/png" },
        },
      ],
      { text: "[@i.png](file:///d/i.png)", images: [{ data: "AA", mediaType: "image/png" }] },
    ],
    [
      [{ type: "resource", resource: { uri: "file:///d/x.bin", blob: "AA" } }],
      {
        text: "[@x.bin](file:///d/x.bin)",
        files: [{ name: "x.bin", data: "AA", mediaType: "application/octet-stream" }],
      },
    ],
  ] as const)("%j", (blocks, input) => {
    expect(toPromptInput([...blocks])).toEqual(input);
  });
  it("names a resource by the end of its address", () => {
    expect(nameOf("file:///a/b%20c.txt?x#y")).toBe("b c.txt");
    expect(nameOf("file:///a/%E0%")).toBe("%E0%");
    expect(nameOf("x:")).toBe("x:");
  });
});

describe("notices", () => {
  it.each<readonly [Extract<DroidEvent, { type: "notice" }>, RegExp | undefined]>([
    [
      { type: "notice", kind: "retry", attempt: 2, reason: "rate_limited" },
      /attempt 2[^]*no more requests/,
    ],
    [{ type: "notice", kind: "retry", attempt: undefined, reason: "odd" }, /again[^]*odd/],
    [
      { type: "notice", kind: "compaction", removedCount: 3, summaryId: undefined },
      /compacted[^]*3 messages/,
    ],
    [
      { type: "notice", kind: "message", messageId: "m", text: "/x is running\nmore" },
      /^\/x is running\nmore/,
    ],
    [{ type: "notice", kind: "discarded", text: "t", requestId: undefined }, /discarded/],
    [{ type: "notice", kind: "session", sessionId: "s" }, undefined],
    [
      {
        type: "notice",
        kind: "hook",
        stage: "started",
        hookId: "h",
        event: "Stop",
        toolId: undefined,
        raw: {},
      },
      undefined,
    ],
    [
      {
        type: "notice",
        kind: "hook",
        stage: "completed",
        hookId: "h",
        event: "Stop",
        toolId: undefined,
        raw: { hookResults: [{ exitCode: 0 }, { exitCode: 2, stderr: "bad" }] },
      },
      /Stop hook exited with code 2\nbad/,
    ],
  ])("%j", (event, words) => {
    const notice = noticeOf(event);
    if (words === undefined) return expect(notice).toBeUndefined();
    if (!notice) throw new Error("there is no notice");
    expect(noticeAsText(notice)).toMatch(words);
    expect(strictFaults("SessionUpdate", { sessionUpdate: "notice", ...notice })).toEqual([]);
  });

  it.each<[McpServerStatus["raw"], string | undefined, RegExp]>([
    [{}, "boom", /gh does not work\nboom/],
    [{}, undefined, /gh does not work/],
    [{}, "Authentication required", /gh needs a login\n\/mcp-login gh/],
    [{ requiresAuth: true }, "x", /gh needs a login\n\/mcp-login gh/],
    [
      { requiresAuth: true, pendingAuthUrl: "https://login" },
      "x",
      /needs a login\nSign in at https/,
    ],
  ])("of a server that failed with %j and %j", (raw, error, words) => {
    const base = { name: "gh", source: undefined, serverType: undefined, isManaged: true };
    const failed = { ...base, status: "failed", error, raw };
    const fine = { ...base, status: "connected", error: undefined, raw: {} };
    const told = mcpNotices({ type: "mcp", kind: "status", servers: [fine, failed] });
    expect(told).toHaveLength(1);
    for (const notice of told) {
      expect(noticeAsText(notice)).toMatch(words);
      expect(strictFaults("SessionUpdate", { sessionUpdate: "notice", ...notice })).toEqual([]);
    }
  });

  it("of a login to a server say where it is, and that it is done", () => {
    const login = { type: "mcp", kind: "auth_required", server: "gh", message: undefined } as const;
    const [asked] = mcpNotices({ ...login, url: "https://login" });
    expect(asked && noticeAsText(asked)).toMatch(/gh needs a login\nSign in at https:\/\/login/);
    expect(mcpNotices({ ...login, url: undefined })).toHaveLength(1);
    const done = { type: "mcp", kind: "auth_completed", server: "gh", raw: {} } as const;
    expect(mcpNotices(done)[0]?.title).toContain("Signed in");
  });

  it("tell what became of servers and wishes, where that is bad news", () => {
    const told = serverNotices([
      { name: "good", status: "connected", tools: ["t"] },
      { name: "bad", status: "failed", tools: [] },
      { name: "old", status: "unsupported", tools: [] },
    ]);
    expect(told.map(({ title }) => title)).toEqual([
      "The MCP server bad does not work",
      "The MCP server old is not used",
    ]);
    expect(
      ignoredNotices([
        { setting: "model", requested: "x", actual: "y", kind: "ignored" },
        { setting: "model", requested: "z", actual: "z", kind: "unlisted" },
      ]).map(noticeAsText),
    ).toEqual([
      "Droid did not take model “x”\nIt uses y.\n",
      "z is none of the models that Droid lists\n",
    ]);
  });
});

describe("the end of a turn", () => {
  const result = (reason: DroidStopReason, message?: string) => ({
    stopReason: reason,
    failure:
      message === undefined
        ? undefined
        : ({ reason: "error", message, name: undefined, status: undefined } as const),
    usage: undefined,
    messageId: "m",
    sessionUsage: undefined,
    structuredOutput: undefined,
    sessionId: "s",
  });
  const facts = { model: "custom:m", told: undefined };

  it.each([
    ["completed", "end_turn"],
    ["cancelled", "cancelled"],
  ] as const)("%s is %s", (reason, stop) => {
    expect(turnEnd(result(reason), facts)).toBe(stop);
  });
  it.each([
    ["discarded", -32603],
    ["process_exit", -32603],
    ["rate_limit", -32603],
    ["usage_exhausted", -32603],
    ["rejected", -32603],
    ["unavailable", -32603],
    ["error", -32603],
    ["authentication", -32603],
  ] as const)("%s is an error with Droid's words", (reason, code) => {
    const end = turnEnd(result(reason, "the words"), facts);
    expect(end).toMatchObject({ code, message: expect.stringContaining("the words") as string });
  });
  it("asks for a login only where a login would help", () => {
    const end = turnEnd(result("authentication"), { model: "gpt", told: "Please log in" });
    expect(end).toMatchObject({
      code: -32000,
      message: expect.stringContaining("FACTORY_API_KEY") as string,
    });
  });
  it("says how Droid died, and that the session goes on", () => {
    const reason = {
      kind: "exited",
      exit: { code: null, signal: "SIGILL" },
      stderr: "panic",
    } as const;
    const failure = droidFailure(new DroidExitedError(reason, "turn"));
    expect(failure).toMatchObject({ code: -32603, data: { signal: "SIGILL", stderr: "panic" } });
    expect(String(failure)).toContain("next prompt");
    expect(
      droidFailure(new DroidError("login_required", "No access token available")),
    ).toMatchObject({ code: -32000 });
    expect(droidFailure(new DroidError("closed", "x"))).toBeInstanceOf(RpcError);
    const other = new Error("other");
    expect(droidFailure(other)).toBe(other);
  });
});

describe("usage", () => {
  const stats = {
    used: 1000.4,
    remaining: 9000,
    limit: 10_000,
    accuracy: undefined,
    updatedAt: undefined,
  };
  it("is what Droid counts", () => {
    expect(contextUse(stats)).toEqual({ used: 1000, size: 10_000 });
    expect(contextUse({ ...stats, limit: 0 })).toBeUndefined();
    const usage = {
      inputTokens: 1,
      outputTokens: 2,
      cacheCreationTokens: 3,
      cacheReadTokens: 4,
      thinkingTokens: 5,
      factoryCredits: 0,
    };
    expect(turnUsage(usage)).toMatchObject({
      totalTokens: 10,
      thoughtTokens: 5,
      cachedReadTokens: 4,
    });
  });
  it("reads as a table", () => {
    const breakdown = {
      modelId: "m",
      contextBudget: 5,
      usedTokens: 2,
      freeTokens: 3,
      categories: [
        { name: "Tools", tokens: 900 },
        { name: "None", tokens: 0 },
      ],
      raw: {},
    };
    expect(contextReport(stats, breakdown)).toBe(
      "Context: 1,000 tokens of 10,000 (10 %)\n\n| | Tokens |\n|---|---:|\n| Tools | 900 |\n",
    );
    expect(contextReport(undefined, undefined)).toContain("does not tell");
  });
});

describe("the plan", () => {
  it.each([
    ["in_progress", undefined, "in_progress", "medium"],
    ["Done", "high", "completed", "high"],
    ["whatever", "odd", "pending", "medium"],
  ])("with status %s and priority %s", (status, priority, toStatus, toPriority) => {
    expect(toPlan([{ text: "t", status, priority }])).toEqual([
      { content: "t", status: toStatus, priority: toPriority },
    ]);
  });
});

describe("the past", () => {
  it("is shown as it was: prompt, thoughts, text, tools with results, plan; passing notes are not", () => {
    const step = { messageId: "m" };
    const tool = (id: string, name: string, input: Record<string, unknown>) => ({
      id,
      name,
      input,
    });
    const updates = [
      ...replay(
        [
          {
            prompt: {
              messageId: "u",
              text: "hi",
              images: [{ mediaType: undefined, data: "AA" }],
              files: [{ name: undefined, mediaType: undefined }],
            },
            steps: [
              { type: "thinking", ...step, text: "hm" },
              { type: "text", ...step, text: "so" },
              { type: "notice", ...step, text: "passing" },
              {
                type: "tool_call",
                ...step,
                dangling: false,
                toolUse: tool("1", "Read", { file_path: "a" }),
                result: { messageId: "r", content: "x", isError: false },
              },
              {
                type: "tool_call",
                ...step,
                dangling: false,
                toolUse: tool("2", "TodoWrite", { todos: "1. [pending] a" }),
                result: undefined,
              },
              {
                type: "tool_call",
                ...step,
                dangling: false,
                toolUse: tool("3", "Execute", { command: "c" }),
                result: undefined,
              },
            ],
            interrupted: false,
          },
          { prompt: undefined, steps: [], interrupted: true },
        ],
        { cwd: "/w", firstLine: 1 },
        new ToolIds(),
      ),
    ];
    expect(updates.map((update) => update.sessionUpdate)).toEqual([
      "user_message_chunk",
      "user_message_chunk",
      "user_message_chunk",
      "agent_thought_chunk",
      "agent_message_chunk",
      "tool_call",
      "tool_call_update",
      "plan",
      "tool_call",
      "tool_call_update",
    ]);
    expect(updates.at(-1)).toMatchObject({ toolCallId: "3", status: "failed" });
    for (const update of updates) expect(strictFaults("SessionUpdate", update)).toEqual([]);
  });

  it("has each tool call once, also where a model counts its calls from one in every turn", () => {
    const turn = (content: string): HistoryTurn => ({
      prompt: undefined,
      steps: [
        {
          type: "tool_call",
          messageId: "m",
          dangling: false,
          toolUse: { id: "call_1", name: "Execute", input: { command: "c" } },
          result: { messageId: "r", content, isError: false },
        },
      ],
      interrupted: false,
    });
    const place = { cwd: "/w", firstLine: 1 } as const;
    const updates = [...replay([turn("a"), turn("b")], place, new ToolIds())];
    const calls = updates.map((update) => [
      update.sessionUpdate,
      "toolCallId" in update && update.toolCallId,
    ]);
    expect(calls).toEqual([
      ["tool_call", "call_1"],
      ["tool_call_update", "call_1"],
      ["tool_call", "call_1-2"],
      ["tool_call_update", "call_1-2"],
    ]);
  });
});

describe("the list of sessions", () => {
  const at = (seconds: number) => new Date(seconds * 1000);
  const summary = (sessionId: string, seconds: number, title?: string) => ({
    sessionId,
    cwd: "/w",
    title,
    updatedAt: at(seconds),
    parentId: undefined,
    path: "",
  });
  it("has one entry for a session that was compacted, with the id it began with", () => {
    const infos = sessionInfos(
      [summary("c", 9, "New Session"), summary("x", 8, "X"), summary("b", 7), summary("a", 6, "A")],
      new Map([["a", ["a", "b", "c"]]]),
    );
    expect(infos).toEqual([
      { sessionId: "a", cwd: "/w", updatedAt: at(9).toISOString(), title: "A" },
      { sessionId: "x", cwd: "/w", updatedAt: at(8).toISOString(), title: "X" },
    ]);
    for (const info of infos) expect(strictFaults("SessionInfo", info)).toEqual([]);
  });
  it("leaves out what does not say where it worked", () => {
    expect(sessionInfos([{ ...summary("a", 1), cwd: undefined }], new Map())).toEqual([]);
  });
  it("comes in pages that neither repeat nor skip when sessions come and go", () => {
    const all = sessionInfos(
      Array.from({ length: 7 }, (_, i) => summary(`s${i}`, 100 - Math.floor(i / 2))),
      new Map(),
    );
    const first = pageAfter(all, undefined, 3);
    const later = [
      ...sessionInfos([summary("new", 200)], new Map()),
      ...all.filter(({ sessionId }) => sessionId !== "s1"),
    ];
    const second = pageAfter(later, first.nextCursor, 3);
    const third = pageAfter(later, second.nextCursor, 3);
    const ids = [first, second, third].flatMap(({ sessions }) =>
      sessions.map(({ sessionId }) => sessionId),
    );
    expect(ids).toEqual(["s0", "s1", "s2", "s3", "s4", "s5", "s6"]);
    expect(third.nextCursor).toBeUndefined();
    expect(() => pageAfter(all, "bogus")).toThrow("Invalid params");
  });
});

describe("session ids", () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });
  it("are kept across compactions, one small file each, and nothing else is", async () => {
    const folder = await mkdtemp(join(tmpdir(), "session-ids-"));
    folders.push(folder);
    const ids = new SessionIds(folder);
    expect(await ids.chainOf("a")).toEqual(["a"]);
    expect(await ids.all()).toEqual(new Map());
    await Promise.all([ids.append("a", "b"), ids.append("x", "y")]);
    await ids.append("a", "c");
    await ids.append("a", "c");
    const again = new SessionIds(folder);
    expect(await again.chainOf("a")).toEqual(["a", "b", "c"]);
    await writeFile(join(folder, "sessions", "broken.json"), "{");
    expect(await again.chainOf("broken")).toEqual(["broken"]);
    expect([...(await again.all()).keys()].toSorted()).toEqual(["a", "x"]);
    await again.append("../evil", "z");
    expect(await again.chainOf("../evil")).toEqual(["../evil"]);
    await again.remove("a");
    await again.remove("../evil");
    expect(await again.chainOf("a")).toEqual(["a"]);
    expect((await readdir(join(folder, "sessions"))).toSorted()).toEqual(["broken.json", "x.json"]);
  });
  it.each([
    [{ env: { XDG_STATE_HOME: "/s" }, platform: "linux" }, "/s/dragoman/droid-acp"],
    [{ env: { XDG_STATE_HOME: "rel" }, platform: "linux" }, "/h/.local/state/dragoman/droid-acp"],
    [{ env: {}, platform: "darwin" }, "/h/Library/Application Support/dragoman/droid-acp"],
  ] as const)("lie in the user's state folder: %j", (places, folder) => {
    expect(adapterStateFolder({ ...places, home: "/h" })).toBe(folder);
  });
});

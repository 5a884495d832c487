import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import {
  DroidBusyError,
  DroidClient,
  DroidError,
  DroidExitedError,
  type DroidEvent,
  type DroidProcessOptions,
  type NewDroidSessionOptions,
  type DroidTurn,
} from "../../src/entries/droid.ts";
import { SpawnError } from "../../src/entries/wire.ts";
import { fakeDroid, type FakeVersion } from "../support/fake-droid/index.ts";

const open: DroidClient[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((droid) => droid.close()));
});

async function start(
  version: FakeVersion,
  options: DroidProcessOptions & NewDroidSessionOptions = {},
): Promise<DroidClient> {
  const droid = await DroidClient.start({ ...fakeDroid(version), ...options });
  open.push(droid);
  return droid;
}

async function eventsOf(turn: DroidTurn): Promise<DroidEvent[]> {
  const events: DroidEvent[] = [];
  for await (const event of turn) events.push(event);
  return events;
}

async function textOf(turn: DroidTurn): Promise<string> {
  const events = await eventsOf(turn);
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

it.each([
  ["a folder that does not exist", "/does/not/exist"],
  ["a file", fileURLToPath(import.meta.url)],
])("rejects with a DroidError whose cause is a SpawnError if cwd is %s", async (_name, cwd) => {
  const options = { ...fakeDroid("0.225.2"), cwd };
  const starts = [
    DroidClient.prepare(options),
    DroidClient.start(options),
    DroidClient.load("id", options),
  ];
  for (const result of await Promise.allSettled(starts)) {
    const error: unknown = result.status === "rejected" ? result.reason : undefined;
    expect(error).toBeInstanceOf(DroidError);
    expect(error).toMatchObject({ code: "start_failed", cause: { failure: "bad-cwd" } });
    expect(error instanceof DroidError && error.cause).toBeInstanceOf(SpawnError);
    expect(String(error)).toContain(cwd);
  }
});

const versions: FakeVersion[] = ["0.57.14", "0.99.0", "0.225.2"];

describe.each(versions)("a client of Droid %s", (version) => {
  it("sends prompts one after the other", async () => {
    const droid = await start(version);
    expect(droid.version.cli).toBe(version);
    const first = droid.prompt("one");
    const second = droid.prompt("two", { whenBusy: "wait" });
    expect(await textOf(first)).toBe("You said one");
    expect(await textOf(second)).toBe("You said two");
    expect(await second.result).toMatchObject({ stopReason: "completed" });
  });

  it("emits each tool call, result and text once", async () => {
    const events = await eventsOf((await start(version)).prompt("everything twice"));
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    expect([count("tool_call"), count("tool_result"), count("text")]).toEqual([1, 1, 1]);
  });

  it("answers a permission request validly with a handler, a failing handler, and none", async () => {
    const droid = await start(version);
    const answered = async (onPermission?: () => string): Promise<string> =>
      textOf(droid.prompt("may I", onPermission ? { onPermission } : {}));
    expect(await answered(() => "proceed_once")).toContain('"proceed_once"');
    const fail = (): string => {
      throw new Error("no");
    };
    expect(await answered(fail)).toBe('answered {"selectedOption":"cancel"}');
    expect(await answered(() => "not offered")).toBe('answered {"selectedOption":"cancel"}');
    expect(await answered()).toBe('answered {"selectedOption":"cancel"}');
  });

  it("sends answers to questions as objects, even if the handler returns strings", async () => {
    const droid = await start(version, { onAskUser: async () => ["Blue"] });
    expect(await textOf(droid.prompt("ask me"))).toBe("chose Blue");
    expect(await textOf(droid.prompt("ask me", { onAskUser: () => null }))).toBe("declined");
  });

  it("answers an unknown request with an error code that Droid accepts", async () => {
    expect(await textOf((await start(version)).prompt("unknown request"))).toBe("error -32601");
  });

  it("interrupts a turn, and then sends the next prompt", async () => {
    const droid = await start(version);
    const turn = droid.prompt("wait for the interrupt");
    for await (const event of turn) if (event.type === "text") void turn.cancel();
    expect(await turn.result).toMatchObject({ stopReason: "cancelled" });
    expect(await textOf(droid.prompt("next"))).toBe("You said next");
  });

  it("rejects a prompt while another turn runs, unless the prompt may wait", async () => {
    const droid = await start(version);
    const first = droid.prompt("one");
    const second = droid.prompt("two");
    await expect(second.result).rejects.toThrow(DroidBusyError);
    await expect(second.text()).rejects.toMatchObject({ code: "busy" });
    await expect(eventsOf(droid.prompt("two"))).rejects.toThrow(DroidBusyError);
    await second.cancel();
    expect(await textOf(first)).toBe("You said one");
    expect(await textOf(droid.prompt("two"))).toBe("You said two");
  });

  it("collects the text of a turn, whoever reads it", async () => {
    const droid = await start(version);
    expect(await droid.prompt("one").text()).toBe("You said one");
    const read = droid.prompt("two");
    await eventsOf(read);
    const collected = { text: "You said two", finalMessage: "You said two" };
    expect(await read.result).toMatchObject(collected);
    expect(await droid.prompt("two").result).toMatchObject(collected);
  });

  it("never throws for a prompt to a closed client", async () => {
    const droid = await start(version);
    await droid.close();
    await expect(droid.prompt("one").result).rejects.toMatchObject({ code: "closed" });
  });

  it("cancels a turn that takes too long, even if Droid ignores that", async () => {
    const droid = await start(version);
    const timeout = { name: "DroidError", code: "timeout" };
    const slow = droid.prompt("wait for the interrupt", { timeoutMs: 30 });
    await expect(slow.result).rejects.toMatchObject(timeout);
    expect(await textOf(droid.prompt("next", { timeoutMs: 60_000 }))).toBe("You said next");
    const waiting = droid.prompt("ignore the interrupt", { timeoutMs: 30 });
    const queued = droid.prompt("never sent", { whenBusy: "wait", timeoutMs: 30 });
    await expect(queued.result).rejects.toMatchObject(timeout);
    await expect(waiting.text()).rejects.toMatchObject(timeout);
  });

  it("does not wait for the end of a turn when the signal of its cancel is aborted", async () => {
    const droid = await start(version);
    const turn = droid.prompt("ignore the interrupt");
    await turn.cancel({ signal: AbortSignal.abort() });
    await droid.cancel({ signal: AbortSignal.abort() });
    expect(droid.state).toBe("open");
  });

  it("cancels a turn whose loop is left early", async () => {
    const droid = await start(version);
    const turn = droid.prompt("wait for the interrupt");
    for await (const event of turn) if (event.type === "text") break;
    expect(await turn.result).toMatchObject({ stopReason: "cancelled" });
    expect(await textOf(droid.prompt("next"))).toBe("You said next");
  });

  it("streams every event to updates() until the client is closed", async () => {
    const droid = await start(version);
    const updates = droid.updates();
    const seen: DroidEvent[] = [];
    const reading = (async () => {
      for await (const event of updates) seen.push(event);
    })();
    expect(await textOf(droid.prompt("one"))).toBe("You said one");
    await droid.close();
    await reading;
    expect(seen.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("")).toBe(
      "You said one",
    );
  });

  it("cancels a queued prompt, and a turn whose signal aborts", async () => {
    const droid = await start(version);
    const running = droid.prompt("wait for the interrupt");
    const waiting = droid.prompt("never sent", { whenBusy: "wait" });
    const cancelled = waiting.cancel();
    await droid.cancel();
    await cancelled;
    expect(await waiting.result).toMatchObject({ stopReason: "cancelled" });
    expect(await running.result).toMatchObject({ stopReason: "cancelled" });
    const aborted = droid.prompt("wait for the interrupt", { signal: AbortSignal.timeout(30) });
    expect(await aborted.result).toMatchObject({ stopReason: "cancelled" });
  });

  it("rejects a turn with the exit code and stderr if Droid dies", async () => {
    const droid = await start(version);
    const turn = droid.prompt("die");
    const next = droid.prompt("too late", { whenBusy: "wait" });
    await expect(eventsOf(turn)).rejects.toThrow(DroidExitedError);
    await expect(turn.result).rejects.toMatchObject({
      code: "connection_lost",
      exit: { code: 7, signal: null },
      stderr: "a last message\n",
      during: "turn",
    });
    await expect(next.result).rejects.toMatchObject({ exit: { code: 7 } });
    await expect(droid.updateSettings({ autonomy: "low" })).rejects.toThrow(DroidExitedError);
    await droid.cancel();
  });

  it("aborts the handler if Droid dies while a question is open", async () => {
    const droid = await start(version);
    let aborted = false;
    const turn = droid.prompt("die while asking", {
      onAskUser: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            aborted = true;
            resolve(null);
          });
        }),
    });
    await expect(turn.result).rejects.toMatchObject({ exit: { code: 9 } });
    expect(aborted).toBe(true);
  });

  it("ignores lines that are not frames", async () => {
    expect(await textOf((await start(version)).prompt("noise"))).toBe("after the noise");
  });

  it("fails the turn if Droid accepts the prompt and then reports an error", async () => {
    const droid = await start(version);
    await expect(droid.prompt("late error").result).rejects.toMatchObject({
      code: "remote_error",
      rpcCode: -32603,
    });
    expect(await textOf(droid.prompt("next"))).toBe("You said next");
  });

  it("ends the turn if Droid discards the prompt", async () => {
    const droid = await start(version);
    expect(await droid.prompt("discard it").result).toMatchObject({ stopReason: "discarded" });
    expect(await textOf(droid.prompt("next"))).toBe("You said next");
  });

  it("rejects a call with a typed error if Droid does not have the method", async () => {
    const droid = await start(version);
    const calls = [droid.rename("x"), droid.contextUsage(), droid.request("droid.nonsense")];
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "unsupported" });
    expect(await textOf(droid.prompt("still there"))).toBe("You said still there");
  });

  it("reports a model that Droid does not know", async () => {
    const droid = await start(version, { model: "no-such-model" });
    expect(droid.ignored).toMatchObject([
      { setting: "model", requested: "no-such-model", actual: "default" },
    ]);
  });

  it("loads a session, and rejects if it does not exist", async () => {
    const droid = await DroidClient.load("old", { ...fakeDroid(version), cwd: process.cwd() });
    open.push(droid);
    expect(droid.sessionId).toBe("old");
    expect(droid.history).toMatchObject([{ prompt: { text: "before" } }]);
    const missing = DroidClient.load("unknown", { ...fakeDroid(version), cwd: process.cwd() });
    await expect(missing).rejects.toMatchObject({ code: "session_not_found" });
  });

  it("stays with its session after a copy, under either name of the method", async () => {
    const droid = await start(version, { sessionId: "mine" });
    expect(await droid.fork()).toBe("fork-of-mine");
    expect(await textOf(droid.prompt("which session"))).toBe("mine");
    await droid.request("droid.fork_session");
    expect(await textOf(droid.prompt("which session"))).toBe("mine");
    expect(droid.sessionId).toBe("mine");
  });

  it("finishes a turn whose events are not read", async () => {
    const turn = (await start(version)).prompt("one");
    expect(await turn.result).toMatchObject({ stopReason: "completed" });
    expect(await textOf(turn)).toBe("You said one");
  });

  it("closes quickly even if Droid ignores interrupts", async () => {
    const droid = await start(version);
    const turn = droid.prompt("ignore the interrupt");
    for await (const event of turn) if (event.type === "text") break;
    const before = Date.now();
    await droid.close();
    // One second for the interrupt, plus the time Droid takes after the end of its input.
    expect(Date.now() - before).toBeLessThan(3000);
    await expect(turn.result).rejects.toMatchObject({ code: "closed" });
    await expect(droid.prompt("too late", { whenBusy: "wait" }).result).rejects.toMatchObject({
      code: "closed",
    });
    expect(() => process.kill(droid.pid ?? 0, 0)).toThrow();
  });
});

describe.each<FakeVersion>(["0.36.2", "0.57.14", "0.99.0"])(
  "the early idle of Droid %s",
  (version) => {
    it.each([
      ["early idle, then the message", "Hello world"],
      ["early idle, no message", "Hello"],
      ["early idle, nothing streamed", "Hello world"],
    ])("loses no text, and the next turn gets only its own: %s", async (prompt, text) => {
      const droid = await start(version);
      const turn = droid.prompt(prompt);
      expect(await textOf(turn)).toBe(text);
      expect(await turn.result).toMatchObject({ stopReason: "completed" });
      expect(await textOf(droid.prompt("next"))).toBe("You said next");
    });
  },
);

describe.each<FakeVersion>(["0.36.2", "0.57.14"])("the settings of Droid %s", (version) => {
  it("are sent in its spelling and read into the common one", async () => {
    const droid = await start(version, { autonomy: "low" });
    expect(droid.settings).toMatchObject({ autonomy: "low", interactionMode: "auto" });
    expect(droid.settings.raw["autonomyLevel"]).toBe("auto-low");
    const { settings, ignored } = await droid.updateSettings({ interactionMode: "spec" });
    expect(settings).toMatchObject({ interactionMode: "spec" });
    expect(settings.raw["autonomyLevel"]).toBe("spec");
    expect(ignored).toEqual([]);
  });
  it("may start in spec mode if no mode is requested", async () => {
    expect((await start(version)).settings.interactionMode).toBe("spec");
  });
  it("report MCP servers as unsupported", async () => {
    const droid = await start(version, { mcpServers: [{ name: "s", command: "x" }] });
    expect(droid.mcpServers).toEqual([{ name: "s", status: "unsupported", tools: [] }]);
  });
});

describe("a Droid client", () => {
  it("matches errors without an id to the one open call", async () => {
    const droid = await start("0.99.0");
    const results = await Promise.allSettled([
      droid.rename("x"),
      droid.updateSettings({ autonomy: "high" }),
      droid.request("droid.nonsense"),
      droid.updateSettings({ autonomy: "low" }),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(droid.settings.autonomy).toBe("low");
  });

  it("answers calls while the reader of a turn waits for them", async () => {
    const droid = await start("0.225.2");
    const turn = droid.prompt("one");
    for await (const event of turn)
      if (event.type === "text") await droid.updateSettings({ autonomy: "medium" });
    expect(droid.settings.autonomy).toBe("medium");
  });

  it("ignores a listener that throws", async () => {
    const droid = await start("0.225.2");
    const seen: string[] = [];
    const stop = droid.onEvent((event) => {
      seen.push(event.type);
      throw new Error("the listener failed");
    });
    expect(await textOf(droid.prompt("one"))).toBe("You said one");
    expect(seen).toContain("text");
    stop();
    const count = seen.length;
    await droid.prompt("two").result;
    expect(seen).toHaveLength(count);
  });

  it("replays a capture through the fake Droid", async () => {
    const path = fileURLToPath(
      new URL("../transcripts/droid/parallel-tools-0.225.2.jsonl", import.meta.url),
    );
    const droid = await DroidClient.start(fakeDroid("0.225.2", path));
    open.push(droid);
    const asked: number[] = [];
    const turn = droid.prompt("go", {
      onPermission: ({ toolUses }) => {
        asked.push(toolUses.length);
        return "proceed_once";
      },
    });
    const events = await eventsOf(turn);
    expect(asked).toEqual([2]);
    expect(events.filter(({ type }) => type === "tool_result")).toHaveLength(3);
    expect(await turn.result).toMatchObject({ stopReason: "completed" });
  });

  it("prepares a process ahead of time, and starts a session or closes it later", async () => {
    await using unused = await DroidClient.prepare(fakeDroid("0.225.2"));
    await unused.close();
    expect(await unused.closed).toMatchObject({ kind: "closed" });
    await expect(unused.start()).rejects.toThrow(DroidExitedError);
    const prepared = await DroidClient.prepare(fakeDroid("0.225.2"));
    const droid = await prepared.start({ autonomy: "high", onAskUser: () => ["Red"] });
    open.push(droid);
    expect(await textOf(droid.prompt("ask me"))).toBe("chose Red");
  });

  it("passes the API key only to Droid", async () => {
    const lines: string[] = [];
    const droid = await start("0.225.2", {
      apiKey: "not-needed",
      tap: ({ line }) => lines.push(line),
      logger: { warn: (text, fields) => lines.push(text, JSON.stringify(fields)) },
    });
    await droid.prompt("may I").result;
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.join("\n")).not.toContain("not-needed");
    expect(process.env["FACTORY_API_KEY"]).toBeUndefined();
  });
});

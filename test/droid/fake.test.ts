import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import {
  DroidBusyError,
  DroidClient,
  DroidExitedError,
  type DroidEvent,
  type DroidProcessOptions,
  type NewDroidSessionOptions,
  type DroidTurn,
} from "../../src/entries/droid.ts";
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

const versions: FakeVersion[] = ["0.57.14", "0.99.0", "0.225.2"];

describe.each(versions)("any Droid, as %s", (version) => {
  it("answers a prompt, and then another", async () => {
    const droid = await start(version);
    expect(droid.version.cli).toBe(version);
    const first = droid.prompt("one");
    const second = droid.prompt("two", { whenBusy: "wait" });
    expect(await textOf(first)).toBe("You said one");
    expect(await textOf(second)).toBe("You said two");
    expect(await second.result).toMatchObject({ stopReason: "completed" });
  });

  it("is told each thing once", async () => {
    const events = await eventsOf((await start(version)).prompt("everything twice"));
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    expect([count("tool_call"), count("tool_result"), count("text")]).toEqual([1, 1, 1]);
  });

  it("gets a valid answer from a handler, from one that fails, and from none", async () => {
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

  it("gets answers to questions as objects, though they were given as texts", async () => {
    const droid = await start(version, { onAskUser: async () => ["Blue"] });
    expect(await textOf(droid.prompt("ask me"))).toBe("chose Blue");
    expect(await textOf(droid.prompt("ask me", { onAskUser: () => null }))).toBe("declined");
  });

  it("gets an error it understands for a question nobody knows", async () => {
    expect(await textOf((await start(version)).prompt("unknown question"))).toBe(
      "refused with -32601",
    );
  });

  it("is interrupted, and takes the next prompt", async () => {
    const droid = await start(version);
    const turn = droid.prompt("wait for the interrupt");
    for await (const event of turn) if (event.type === "text") void turn.cancel();
    expect(await turn.result).toMatchObject({ stopReason: "cancelled" });
    expect(await textOf(droid.prompt("next"))).toBe("You said next");
  });

  it("throws for a prompt while another turn runs, unless the prompt may wait", async () => {
    const droid = await start(version);
    const first = droid.prompt("one");
    expect(() => droid.prompt("two")).toThrow(DroidBusyError);
    expect(await textOf(first)).toBe("You said one");
    expect(await textOf(droid.prompt("two"))).toBe("You said two");
  });

  it("collects the text of a turn", async () => {
    const droid = await start(version);
    expect(await droid.prompt("one").text()).toBe("You said one");
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

  it("is interrupted before it was even asked, or by a signal", async () => {
    const droid = await start(version);
    const running = droid.prompt("wait for the interrupt");
    const waiting = droid.prompt("never sent", { whenBusy: "wait" });
    const cancelled = waiting.cancel();
    await droid.interrupt();
    await cancelled;
    expect(await waiting.result).toMatchObject({ stopReason: "cancelled" });
    expect(await running.result).toMatchObject({ stopReason: "cancelled" });
    const aborted = droid.prompt("wait for the interrupt", { signal: AbortSignal.timeout(30) });
    expect(await aborted.result).toMatchObject({ stopReason: "cancelled" });
  });

  it("that dies in a turn rejects it with the exit code and its last words", async () => {
    const droid = await start(version);
    const turn = droid.prompt("die");
    const next = droid.prompt("too late", { whenBusy: "wait" });
    await expect(eventsOf(turn)).rejects.toThrow(DroidExitedError);
    await expect(turn.result).rejects.toMatchObject({
      code: "exited",
      exit: { code: 7, signal: null },
      stderr: "the last words\n",
      during: "turn",
    });
    await expect(next.result).rejects.toMatchObject({ exit: { code: 7 } });
    await expect(droid.updateSettings({ autonomy: "low" })).rejects.toThrow(DroidExitedError);
    await expect(droid.interrupt()).rejects.toThrow(DroidExitedError);
  });

  it("that dies while a question is open aborts the handler", async () => {
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

  it("that talks nonsense in between is understood all the same", async () => {
    expect(await textOf((await start(version)).prompt("noise"))).toBe("after the noise");
  });

  it("that takes a prompt and then refuses it fails the turn", async () => {
    const droid = await start(version);
    await expect(droid.prompt("late error").result).rejects.toMatchObject({
      code: "request_failed",
      rpcCode: -32603,
    });
    expect(await textOf(droid.prompt("next"))).toBe("You said next");
  });

  it("that throws the prompt away ends the turn", async () => {
    const droid = await start(version);
    expect(await droid.prompt("discard it").result).toMatchObject({ stopReason: "discarded" });
    expect(await textOf(droid.prompt("next"))).toBe("You said next");
  });

  it("that does not know a method says so, typed", async () => {
    const droid = await start(version);
    const calls = [droid.rename("x"), droid.contextStats(), droid.request("droid.nonsense")];
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "unsupported" });
    expect(await textOf(droid.prompt("still there"))).toBe("You said still there");
  });

  it("reports a model it does not know", async () => {
    const droid = await start(version, { model: "no-such-model" });
    expect(droid.ignored).toMatchObject([
      { setting: "model", requested: "no-such-model", actual: "default" },
    ]);
  });

  it("loads a session, and says when there is none", async () => {
    const droid = await DroidClient.load("old", { ...fakeDroid(version), cwd: process.cwd() });
    open.push(droid);
    expect(droid.sessionId).toBe("old");
    expect(droid.history).toMatchObject([{ prompt: { text: "before" } }]);
    const missing = DroidClient.load("unknown", { ...fakeDroid(version), cwd: process.cwd() });
    await expect(missing).rejects.toMatchObject({ code: "session_not_found" });
  });

  it("stays with its session when that is copied, by either name of the method", async () => {
    const droid = await start(version, { sessionId: "mine" });
    expect(await droid.fork()).toBe("fork-of-mine");
    expect(await textOf(droid.prompt("which session"))).toBe("mine");
    await droid.request("droid.fork_session");
    expect(await textOf(droid.prompt("which session"))).toBe("mine");
    expect(droid.sessionId).toBe("mine");
  });

  it("finishes a turn that nobody reads", async () => {
    const turn = (await start(version)).prompt("one");
    expect(await turn.result).toMatchObject({ stopReason: "completed" });
    expect(await textOf(turn)).toBe("You said one");
  });

  it("is gone soon after it is closed, though it ignores interrupts", async () => {
    const droid = await start(version);
    const turn = droid.prompt("never mind the interrupt");
    for await (const event of turn) if (event.type === "text") break;
    const before = Date.now();
    await droid.close();
    // A second for the interrupt, and what the end of its input takes.
    expect(Date.now() - before).toBeLessThan(3000);
    await expect(turn.result).rejects.toMatchObject({ code: "closed" });
    await expect(droid.prompt("too late", { whenBusy: "wait" }).result).rejects.toMatchObject({
      code: "closed",
    });
    expect(() => process.kill(droid.pid ?? 0, 0)).toThrow();
  });
});

describe.each<FakeVersion>(["0.36.2", "0.57.14", "0.99.0"])("the early idle of %s", (version) => {
  it.each([
    ["early idle, then the message", "Hello world"],
    ["early idle, no message", "Hello"],
    ["early idle, nothing streamed", "Hello world"],
  ])("%s: nothing is lost, and the next turn gets only its own", async (prompt, text) => {
    const droid = await start(version);
    const turn = droid.prompt(prompt);
    expect(await textOf(turn)).toBe(text);
    expect(await turn.result).toMatchObject({ stopReason: "completed" });
    expect(await textOf(droid.prompt("next"))).toBe("You said next");
  });
});

describe.each<FakeVersion>(["0.36.2", "0.57.14"])("the settings of %s", (version) => {
  it("are spelled as it spells them, and read back in our words", async () => {
    const droid = await start(version, { autonomy: "low" });
    expect(droid.settings).toMatchObject({ autonomy: "low", interactionMode: "auto" });
    expect(droid.settings.raw["autonomyLevel"]).toBe("auto-low");
    const { settings, ignored } = await droid.updateSettings({ interactionMode: "spec" });
    expect(settings).toMatchObject({ interactionMode: "spec" });
    expect(settings.raw["autonomyLevel"]).toBe("spec");
    expect(ignored).toEqual([]);
  });
  it("may begin in spec mode when nothing is asked for", async () => {
    expect((await start(version)).settings.interactionMode).toBe("spec");
  });
  it("refuse nothing that is spelled right, and MCP servers are reported as unsupported", async () => {
    const droid = await start(version, { mcpServers: [{ name: "s", command: "x" }] });
    expect(droid.mcpServers).toEqual([{ name: "s", status: "unsupported", tools: [] }]);
  });
});

it("pairs errors without an id with the one call that is open", async () => {
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

it("reads a turn at the reader's pace, and its calls all the same", async () => {
  const droid = await start("0.225.2");
  const turn = droid.prompt("one");
  for await (const event of turn)
    if (event.type === "text") await droid.updateSettings({ autonomy: "medium" });
  expect(droid.settings.autonomy).toBe("medium");
});

it("is not disturbed by a listener that fails", async () => {
  const droid = await start("0.225.2");
  const seen: string[] = [];
  const stop = droid.onEvent((event) => {
    seen.push(event.type);
    throw new Error("a listener's own trouble");
  });
  expect(await textOf(droid.prompt("one"))).toBe("You said one");
  expect(seen).toContain("text");
  stop();
  const count = seen.length;
  await droid.prompt("two").result;
  expect(seen).toHaveLength(count);
});

it("plays a capture as Droid did", async () => {
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

it("starts ahead of need, and begins or ends later", async () => {
  await using unused = await DroidClient.prepare(fakeDroid("0.225.2"));
  await unused.close();
  expect(await unused.closed).toMatchObject({ kind: "closed" });
  await expect(unused.start()).rejects.toThrow(DroidExitedError);
  const prepared = await DroidClient.prepare(fakeDroid("0.225.2"));
  const droid = await prepared.start({ autonomy: "high" }, { onAskUser: () => ["Red"] });
  open.push(droid);
  expect(await textOf(droid.prompt("ask me"))).toBe("chose Red");
});

it("gives the key to Droid and to nobody else", async () => {
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

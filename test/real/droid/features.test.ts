import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import * as api from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import {
  AnswerMismatchError,
  DroidClient,
  type DroidHooks,
  listModels,
  openTelemetryHooks,
  run,
  typedAnswer,
  UnsupportedByDroidError,
} from "../../../src/entries/droid.ts";
import { isNewDroid, testedDroids } from "../../support/droid/install.ts";
import {
  hang,
  httpError,
  type ScriptedCall,
  text,
  toolCall,
} from "../../../src/conformance/scripted-model/index.ts";
import { leftOver, play, stage } from "./harness.ts";
import { describeDroids } from "../../support/droid/describe.ts";

/** `npm test` has no time for more than the first test; `npm run test:all -- droid` runs the others. */
const detailed = it.skipIf(testedDroids().length <= 2);

const schema = z.object({ city: z.string(), people: z.number().int() });

function toolNames(call: ScriptedCall | undefined): readonly string[] {
  return call?.tools.map(({ name }) => name) ?? [];
}

describeDroids("droid", testedDroids(), (version) => {
  const isNew = isNewDroid(version);
  const hasToolSwitches = version !== "0.99.0";

  it("opens a session with everything that the version supports", async () => {
    const { model, home, start, process } = await stage(version);
    const answer = text('{"city": "Rome", "people": 1}');
    model.push(toolCall("LS", { directory_path: home.workspace }), answer);
    const ended: string[] = [];
    const hooks: DroidHooks = {
      onToolEnd: ({ name, outcome }) => ended.push(`${name} ${outcome}`),
      onTurnEnd: ({ result }) => ended.push(String(result?.stopReason)),
    };
    const restrictTools = ["Read", "LS"];
    if (!isNew) {
      await expect(start({ restrictTools })).rejects.toThrow(UnsupportedByDroidError);
      await expect(start({ systemPrompt: "x" })).rejects.toThrow(UnsupportedByDroidError);
    }
    const options = {
      ...process,
      model: home.modelId,
      systemPrompt: { append: "Mention the heron." },
      tags: ["nightly"],
      hooks,
      ...(isNew && { restrictTools }),
    };
    const result = await run("Which city?", { ...options, schema });
    expect(result).toMatchObject({ value: { city: "Rome", people: 1 }, attempts: 1 });
    expect(await leftOver(home)).toEqual([]);
    expect(model.calls[0]?.headers.authorization).toBe("Bearer not-needed");
    expect(model.calls[0]?.system).toContain("Mention the heron.");
    if (isNew) expect(toolNames(model.calls[0])).toEqual(restrictTools);
    expect(ended).toEqual(["LS ok", "completed"]);
    const tagged = await DroidClient.list({ home: home.home, tag: "nightly" });
    expect(tagged).toMatchObject([{ sessionId: result.result.sessionId }]);
  });

  detailed("gives the model a system prompt that is appended to Droid's own", async () => {
    const { model, home, start, load } = await stage(version, [], { fallback: text("ok") });
    const temp = join(home.home, "temp");
    await mkdir(temp);
    vi.stubEnv("TMPDIR", temp);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const before = await start();
    await play(before.prompt("hi"));
    const droid = await start({ systemPrompt: { append: "Mention the heron." } });
    await play(droid.prompt("hi"));
    const [plain, appended] = model.calls.map(({ system }) => system);
    expect(plain).not.toContain("heron");
    expect(appended).toContain("Mention the heron.");
    expect(appended?.length).toBeGreaterThan(plain?.length ?? 0);
    if (isNew) {
      await droid.close();
      await play((await load(droid.sessionId)).prompt("again"));
      expect(model.calls.at(-1)?.system).toContain("Mention the heron.");
    }
    // The file with the instructions of older versions is gone.
    expect(await readdir(temp)).toEqual([]);
  });

  detailed("replaces the system prompt, or says that it cannot", async () => {
    const { model, process, start, home } = await stage(version, [text("ok")]);
    const options = { systemPrompt: "You are a heron." };
    if (!isNew) {
      await expect(start(options)).rejects.toThrow(UnsupportedByDroidError);
      // A process that was started without the argument cannot append either.
      const prepared = await DroidClient.prepare(process);
      const appended = prepared.start({ systemPrompt: { append: "x" } });
      await expect(appended).rejects.toMatchObject({
        code: "unsupported",
        feature: "a system prompt",
      });
      expect(await leftOver(home)).toEqual([]);
      return;
    }
    await play((await start(options)).prompt("hi"));
    expect(model.calls[0]?.system).toContain("You are a heron.");
    expect(model.calls[0]?.system.length).toBeLessThan(2000);
  });

  detailed("offers the model only the selected tools, or says that it cannot", async () => {
    const { model, start, load } = await stage(version, [], { fallback: text("ok") });
    const offered = async (droid: DroidClient): Promise<readonly string[]> => {
      await play(droid.prompt("hi"));
      return toolNames(model.calls.at(-1));
    };
    const restrict = { restrictTools: ["Read", "LS"] };
    if (!isNew)
      await expect(start(restrict)).rejects.toMatchObject({
        feature: hasToolSwitches ? "restrictTools" : "a selection of tools",
      });
    if (!hasToolSwitches) {
      const droid = await start();
      const change = droid.updateSettings({ disabledTools: ["Execute"] });
      await expect(change).rejects.toThrow(UnsupportedByDroidError);
      await expect(start({ additionalTools: ["Edit"] })).rejects.toThrow(UnsupportedByDroidError);
      return;
    }
    // With a removed tool, Droid also leaves out those that ask for permission, except the added ones.
    const removed = await start({ disabledTools: ["Execute"], additionalTools: ["Edit"] });
    const tools = await offered(removed);
    expect(tools).not.toContain("Execute");
    expect(tools).not.toContain("Create");
    expect(tools).toEqual(expect.arrayContaining(["Read", "Edit"]));
    await removed.close();
    const loaded = await load(removed.sessionId, { disabledTools: ["Execute", "Read"] });
    expect(await offered(loaded)).not.toContain("Read");
    if (!isNew) return;
    const droid = await start(restrict);
    expect(await offered(droid)).toEqual(["Read", "LS"]);
    await droid.updateSettings({ restrictTools: ["Grep"] });
    expect(await offered(droid)).toEqual(["Grep"]);
    await droid.updateSettings({ restrictTools: [] });
    expect(await offered(droid)).toContain("Execute");
  });

  detailed("stores tags, and lists the sessions that have one", async () => {
    const { home, start } = await stage(version, [text("one"), text("two")]);
    const tags = ["nightly", { name: "review", metadata: { pr: "7" } }];
    const tagged = await start({ tags });
    await play(tagged.prompt("hi"));
    await tagged.close();
    const other = await start();
    await play(other.prompt("hi"));
    await other.close();
    const files = { home: home.home };
    expect(await DroidClient.list(files)).toHaveLength(2);
    for (const tag of ["nightly", "review"])
      expect(await DroidClient.list({ ...files, tag })).toMatchObject([
        { sessionId: tagged.sessionId },
      ]);
    expect(await DroidClient.list({ ...files, tag: "none" })).toEqual([]);
  });

  detailed("lists the models without a session, or says that it cannot", async () => {
    const { process, home } = await stage(version);
    const models = listModels(process);
    if (isNew) {
      expect((await models).some(({ isCustom }) => isCustom)).toBe(true);
      expect((await listModels({ ...process, includeDisabled: true })).length).toBeGreaterThan(1);
    } else {
      await expect(models).rejects.toThrow(UnsupportedByDroidError);
    }
    expect(await leftOver(home)).toEqual([]);
    const sessions = await readdir(join(home.home, ".factory", "sessions")).catch(() => []);
    expect(sessions).toEqual([]);
    await expect(listModels({ ...process, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "cancelled",
    });
  });

  detailed("gives a typed answer, after a tool call and a correction", async () => {
    const wrong = text('{"city": "Rome", "people": "many"}');
    // Droid itself repeats a request twice without a word about the faults.
    const script = isNew ? [wrong, wrong, wrong] : [wrong];
    const { model, home, start } = await stage(version, [], { fallback: text("too many calls") });
    model.push([text("let me look"), toolCall("LS", { directory_path: home.workspace })]);
    model.push(...script, text('```json\n{"city": "Rome", "people": 2800000}\n```'));
    if (isNew) model.push(text('{"city": "Rome", "people": 2800000}'));
    const droid = await start();
    const answer = await typedAnswer(droid, "Which city?", { schema });
    expect(answer.value).toEqual({ city: "Rome", people: 2_800_000 });
    expect(answer.attempts).toBe(2);
    expect(answer.result.stopReason).toBe("completed");
    const corrected = model.calls.find(({ messages }) =>
      messages.some(
        (message) => message.role === "user" && message.text.includes("cannot be used"),
      ),
    );
    expect(corrected?.messages.at(-1)?.text).toContain("people");
    const first = model.calls[0];
    const shown = isNew ? first?.system : first?.messages.at(-1)?.text;
    expect(shown).toContain('"people":{"type":"integer"');
  });

  detailed("rejects if no answer matches, and if the turn fails", async () => {
    const { start } = await stage(version, [], { fallback: text("no JSON") });
    const droid = await start();
    const failed = typedAnswer(droid, "Which city?", { schema, retries: 1 });
    await expect(failed).rejects.toThrow(AnswerMismatchError);
    await expect(failed).rejects.toMatchObject({ attempts: 2 });
    const other = await stage(version, [], {
      fallback: httpError(400, { error: { message: "no" } }),
    });
    const broken = typedAnswer(await other.start(), "Which city?", { schema });
    await expect(broken).rejects.toMatchObject({
      code: "turn_incomplete",
      result: { stopReason: "rejected" },
    });
  });

  detailed("runs one turn and leaves nothing running, whatever happens", async () => {
    const { model, home, process } = await stage(version, [text("hello")]);
    const options = { ...process, model: home.modelId };
    const seen: string[] = [];
    const first = await run("hi", { ...options, onEvent: ({ type }) => seen.push(type) });
    expect(first).toMatchObject({ text: "hello", stopReason: "completed" });
    expect(seen).toContain("text");
    expect(await leftOver(home)).toEqual([]);

    model.push(text('{"city": "Rome", "people": 1}'));
    const typed = await run("Which city?", { ...options, schema, resume: first.sessionId });
    expect(typed).toMatchObject({ value: { city: "Rome" }, attempts: 1 });
    expect(typed.result.sessionId).toBe(first.sessionId);
    expect(model.calls.at(-1)?.messages.some((message) => message.text === "hello")).toBe(true);

    model.push([text("working"), hang()]);
    const abort = new AbortController();
    const aborted = run("hi", {
      ...options,
      signal: abort.signal,
      onEvent: ({ type }) => type === "text" && abort.abort(),
    });
    await expect(aborted).rejects.toMatchObject({ code: "cancelled" });
    expect(await leftOver(home)).toEqual([]);
    const unknown = run("hi", { ...options, resume: "no-such-session" });
    await expect(unknown).rejects.toMatchObject({ code: "session_not_found" });
    expect(await leftOver(home)).toEqual([]);
  });

  detailed("calls hooks, from which OpenTelemetry makes spans", async () => {
    const { model, home, start } = await stage(version);
    model.push(toolCall("LS", { directory_path: home.workspace }));
    model.push(toolCall("Read", { file_path: join(home.workspace, "missing.txt") }), text("done"));
    await mkdir(join(home.workspace, "folder"));
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    });
    const spans = openTelemetryHooks({ ...api, trace: { ...tracing(provider) } });
    const calls: string[] = [];
    const hooks: DroidHooks = {
      ...spans,
      onToolEnd: (info) => {
        calls.push(`${info.name} ${info.outcome}`);
        spans.onToolEnd?.(info);
        throw new Error("a hook that fails changes nothing");
      },
    };
    const droid = await start({ hooks });
    await play(droid.prompt("look around"));
    expect(calls).toEqual(["LS ok", "Read failed"]);
    const finished = exporter.getFinishedSpans();
    expect(finished.map(({ name }) => name)).toEqual([
      "execute_tool LS",
      "execute_tool Read",
      "invoke_agent Droid",
    ]);
    const [tool, failed, turn] = finished;
    expect(turn?.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.version": version,
      "gen_ai.conversation.id": droid.sessionId,
      "gen_ai.request.model": home.modelId,
      "gen_ai.response.finish_reasons": ["completed"],
      ...(isNew && { "gen_ai.usage.input_tokens": 3000, "gen_ai.usage.output_tokens": 150 }),
    });
    expect(tool?.parentSpanContext?.spanId).toBe(turn?.spanContext().spanId);
    expect(failed).toMatchObject({ attributes: { "error.type": "failed" }, status: { code: 2 } });
    expect(JSON.stringify(finished.map(({ attributes }) => attributes))).not.toContain("missing");
  });
});

/** The API of a provider that is not the global one. */
function tracing(provider: BasicTracerProvider): Pick<typeof api.trace, "getTracer" | "setSpan"> {
  return {
    getTracer: (name) => provider.getTracer(name),
    setSpan: (context, span) => api.trace.setSpan(context, span),
  };
}

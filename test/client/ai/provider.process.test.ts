// Agents as processes: when they start, and that none is left.
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { LanguageModelV4Content } from "@ai-sdk/provider";
import { afterEach, describe, expect, it } from "vitest";
import { type AcpProvider, createAcpProvider } from "../../../src/entries/ai.ts";
import { AcpClient } from "../../../src/entries/dragoman.ts";
import { buildBin } from "../../apps/cli/support/bin.ts";
import { bundleOf } from "../../support/agents/bundle.ts";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import { answerTo, ask, follow } from "./call-options.ts";
import { scratchFolder } from "./providers.ts";

const script = fileURLToPath(new URL("../../support/agents/misbehaving.mjs", import.meta.url));
const session = { cwd: tmpdir() };
const opened: AcpProvider[] = [];

afterEach(async () => {
  for (const provider of opened.splice(0)) await provider.close();
});

function agentIn(home: string, mode = "well"): AcpProvider {
  const provider = createAcpProvider({
    command: process.execPath,
    args: [script, mode],
    env: { HOME: home },
    stages: { eofMs: 300, termMs: 300 },
    session,
  });
  opened.push(provider);
  return provider;
}

describe("an agent", () => {
  it("starts with the first call, once, and ends with close", async () => {
    const home = await scratchFolder();
    const provider = agentIn(home);
    expect(await processesWithHome(home)).toEqual([]);
    const answers = await Promise.all(["one", "two"].map((t) => answerTo(provider(), ask(t))));
    expect(answers).toEqual(["you said: one", "you said: two"]);
    expect(await processesWithHome(home)).not.toEqual([]);
    await provider.close();
    expect(await processesWithHome(home)).toEqual([]);
    await provider.close();
    await expect(provider().doGenerate(ask("x"))).rejects.toMatchObject({ code: "closed" });
  });

  it("that dies in a turn starts again with the next call", async () => {
    const home = await scratchFolder();
    const provider = agentIn(home, "crash-mid-turn");
    for (const text of ["one", "two"]) {
      await expect(provider().doGenerate(ask(text))).rejects.toMatchObject({
        code: "connection_lost",
        message: expect.stringMatching(/exited with code 3.*the last words/s),
      });
    }
  });

  it("that died resumes the conversation if it can", async () => {
    const home = await scratchFolder();
    const bin = await buildBin();
    const provider = createAcpProvider({
      command: process.execPath,
      args: [bin.file, "demo-agent"],
      env: { HOME: home, DRAGOMAN_DEMO_STATE: home },
      session,
    });
    try {
      const first = ask("/think before");
      const answer = await provider().doGenerate(first);
      await expect(provider().doGenerate(follow(first, answer, "/crash"))).rejects.toMatchObject({
        code: "connection_lost",
      });
      const next = await provider().doGenerate(follow(first, answer, "/think after"));
      expect(next.warnings).toEqual([]);
      const sessionOf = ({ providerMetadata }: typeof answer): unknown =>
        providerMetadata?.["dragoman"]?.["sessionId"];
      expect(sessionOf(next)).toBe(sessionOf(answer));
    } finally {
      await provider.close();
      await bin.remove();
    }
  });

  it("that died and cannot resume gets the conversation as text", async () => {
    const provider = agentIn(await scratchFolder(), "crash-mid-turn");
    const first = ask("one");
    const content: LanguageModelV4Content[] = [];
    const { stream } = await provider().doStream(first);
    for await (const part of stream) {
      if (part.type === "text-start") content.push({ ...part, type: "text", text: "I was" });
    }
    const next = follow(first, { content }, "two");
    const { stream: again } = await provider().doStream(next);
    const reader = again.getReader();
    const { value } = await reader.read();
    expect(value).toMatchObject({
      type: "stream-start",
      warnings: [{ type: "compatibility", feature: "earlier messages" }],
    });
    await reader.cancel();
  });

  it("ends even if a call is running", async () => {
    const home = await scratchFolder();
    const provider = agentIn(home, "hang-prompt");
    const { stream } = await provider().doStream(ask("x"));
    await provider.close();
    const parts: string[] = [];
    for await (const part of stream) parts.push(part.type);
    expect(parts).toContain("error");
    expect(await processesWithHome(home)).toEqual([]);
  });

  it("that cannot be started is a readable error, and the next call tries again", async () => {
    const provider = createAcpProvider({ command: join(tmpdir(), "no-such-agent"), session });
    for (let n = 0; n < 2; n++) {
      await expect(provider().doGenerate(ask("x"))).rejects.toMatchObject({
        code: "start_failed",
        message: expect.stringMatching(/could not start the agent: .*no-such-agent.*; check the c/),
      });
    }
    await provider.close();
  });

  it("that takes long to start does not hold up an abort", async () => {
    const home = await scratchFolder();
    const provider = agentIn(home, "hang-initialize");
    const abort = new AbortController();
    const call = provider().doGenerate(ask("x", { abortSignal: abort.signal }));
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });
});

it("a client of the program stays open", async () => {
  await using client = await AcpClient.start({ command: process.execPath, args: [script, "well"] });
  const own = await client.newSession(session);
  const provider = createAcpProvider({ client, session });
  expect(await answerTo(provider(), ask("one"))).toBe("you said: one");
  expect(await answerTo(provider("default", { sessionId: own.id }), ask("two"))).toBe(
    "you said: two",
  );
  expect(client.sessions).toHaveLength(2);
  await provider.close();
  expect(client.sessions).toEqual([own]);
  expect(await own.prompt("three").text()).toBe("you said: three");
});

it("a call in a session of the program is cancelled by close", async () => {
  const args = [script, "hang-prompt"];
  await using client = await AcpClient.start({ command: process.execPath, args });
  const own = await client.newSession(session);
  const provider = createAcpProvider({ client, session });
  const { stream } = await provider("default", { sessionId: own.id }).doStream(ask("x"));
  await provider.close();
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(part);
  expect(parts.at(-1)).toMatchObject({
    type: "finish",
    finishReason: { unified: "other", raw: "cancelled" },
  });
  expect(own.state).toBe("open");
});

it("a program ends by itself after close", async () => {
  const bundle = await bundleOf("test/client/ai/one-answer.ts");
  try {
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, [fileURLToPath(bundle.url), script]);
    expect(stdout).toBe("you said: hello\n");
  } finally {
    await bundle.remove();
  }
});

it("a negative number of sessions is an error", () => {
  const options = { command: "x", maxSessions: -1 };
  expect(() => createAcpProvider(options)).toThrow("maxSessions must not be negative");
});

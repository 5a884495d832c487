import type { ContentBlock } from "../../../../../src/protocol/acp/index.ts";
import { describe, expect, it } from "vitest";
import type { FakeIoOptions } from "../../support/io.ts";
import { run, withAgent } from "../../support/run.ts";
import { foldersForAll } from "../../commands/setup.ts";
import { TextRenderer } from "../../../../../src/apps/cli/render/text/text.ts";
import { Screen } from "../../../../../src/apps/cli/render/terminal/screen.ts";
import { plain } from "../../../../../src/apps/cli/render/terminal/style.ts";
import { fakeIo } from "../../support/io.ts";

const folders = foldersForAll();
const where = (options: FakeIoOptions = {}): FakeIoOptions => ({
  ...folders,
  ...options,
});
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], where());
describe("the progress", () => {
  it("says how long a tool took", async () => {
    expect((await prompt("story")).err).toMatch(/\[tool\] Edit a\.txt \(completed, \d+\.\d s\)/);
  });

  it("names the commands of the agent in a chat and with --verbose, but not for one prompt", async () => {
    expect((await prompt("story")).err).not.toContain("[commands]");
    expect((await prompt("-v", "story")).err).toContain("[commands] /plan /test");
    const chat = await run(["chat", ...withAgent()], where({ stdin: "story\n" }));
    expect(chat.err).toContain("[commands] /plan /test");
  });
  it("lists only some commands of an agent that has many", async () => {
    const chat = await run(["chat", ...withAgent("many-commands")], where({ stdin: "hello\n" }));
    expect(chat.err).toBe("[commands] /c0 /c1 /c2 /c3 /c4 /c5 /c6 /c7 and 12 more\n");
  });
  it("has more details with --verbose", async () => {
    const { err } = await prompt("-v", "story");
    expect(err).toContain("[agent] node: The CLI's agent 9.9");
    expect(err).toContain("[session] s1 (new)");
    expect(err).toContain('[unknown] update "brand_new_thing" ignored');
    expect(err).toContain("[usage] 120 of 1000 tokens");
  });

  it("counts lines that are not protocol messages, and shows them with --verbose", async () => {
    expect(await prompt("noise")).toMatchObject({
      code: 0,
      out: "still here, and whole",
      err: "dragoman: ignored 3 lines on the agent's stdout that are not protocol messages; --verbose shows them\n",
    });
    expect((await prompt("-v", "noise")).err).toContain("[noise] loading model...");
  });

  it("leaves a chunk after the result out", async () => {
    expect((await prompt("late")).out).toBe("before");
  });

  it("cannot act on a terminal, but a pipe gets the answer as it is", async () => {
    const { out, err } = await run([...withAgent(), "escapes"], { ...folders, stdoutTty: true });
    expect(out).toBe("a␛[2Jb␛]52;c;aGk=␇c<U+202E>d\n");
    expect(err).toContain("[tool] evil ␛]0;owned␇title (completed");
    expect((await prompt("escapes")).out).toBe("a\u001b[2Jb\u001b]52;c;aGk=\u0007c\u202ed");
  });

  it("includes the agent's stderr with --verbose", async () => {
    const { err } = await prompt("-v", "crash");
    expect(err).toContain("[stderr] the database is gone");
  });

  it("has color only on request", async () => {
    expect((await prompt("story")).err).not.toContain("\u001b");
    const forced = await run([...withAgent(), "story"], where({ env: { FORCE_COLOR: "1" } }));
    expect(forced.err).toContain("\u001b[");
    const none = await run(
      [...withAgent(), "story"],
      where({ stderrTty: true, env: { NO_COLOR: "1" } }),
    );
    expect(none.err).not.toContain("\u001b[3");
  });
});

it.each<[ContentBlock, string]>([
  [
    { type: "image", mimeType: "image/png", data: "AAAA" },
    "image, image/png, 3 bytes (see -o events)",
  ],
  [
    { type: "audio", mimeType: "audio/wav", data: "AAAA" },
    "audio, audio/wav, 3 bytes (see -o events)",
  ],
  [{ type: "resource_link", uri: "file:///a\u001b[2J", name: "a" }, "link file:///a␛[2J"],
  [
    { type: "resource", resource: { uri: "file:///b", text: "T" } },
    "resource file:///b (see -o events)",
  ],
])("content that is not text is described on stderr: %j", async (content, line) => {
  const io = fakeIo();
  const renderer = new TextRenderer(new Screen(io, { spinner: false, onClosed: () => {} }), {
    simple: false,
    thoughts: false,
    verbose: false,
    commands: true,
    safeAnswer: false,
    markdown: undefined,
    onTerminal: false,
    cwd: "/",
    style: plain,
    now: () => 0,
  });
  const chunk = { type: "agent_message_chunk", text: "", raw: {}, messageId: undefined } as const;
  await renderer.update({ ...chunk, content });
  expect({ out: io.out.text, err: io.err.text }).toEqual({ out: "", err: `[content] ${line}\n` });
});

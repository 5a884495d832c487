import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { FakeIoOptions } from "../../support/io.ts";
import { run, start, withAgent } from "../../support/run.ts";
import { foldersForAll } from "../setup.ts";

const folders = foldersForAll();
beforeAll(async () => {
  await writeFile(join(folders.cwd, "a.txt"), "one\ntwo\n");
  await writeFile(join(folders.cwd, "pic.png"), Buffer.from("89504e470d0a1a0a0000000d", "hex"));
});
const where = (options: FakeIoOptions = {}): FakeIoOptions => ({
  ...folders,
  ...options,
});
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], where());
describe("a prompt", () => {
  it("prints only the answer to stdout, exactly as it arrives", async () => {
    expect(await prompt("hello")).toEqual({ code: 0, out: "Hello, world", err: "", last: "" });
  });

  it("that looks like a command is sent only after --", async () => {
    const { code, out, last } = await prompt("sesions", "list");
    expect([code, out]).toEqual([2, ""]);
    expect(last).toBe(
      '"sesions" looks like a command, so nothing was sent; try: dragoman sessions list, or dragoman -- sesions list to send it as a prompt',
    );
    expect((await prompt("--", "sesions", "list")).out).toBe("you said: sesions list");
    // In a conversation, one word is enough.
    expect((await prompt("--resume", "kept", "models")).out).toBe("you said: models");
  });

  it("notifies the user after half a minute, if the settings ask for it", async () => {
    const settings = join(folders.cwd, "notify.json");
    await writeFile(settings, '{ "notifications": true }');
    let time = 0;
    const rung = async (step: number, ...argv: string[]) => {
      const now = () => (time += step);
      const options = where({ stderrTty: true, now, env: { TERM: "xterm" } });
      return (await run([...withAgent(), ...argv, "hello"], options)).err.includes("\u0007");
    };
    expect(await rung(31_000, "--settings", settings)).toBe(true);
    expect(await rung(1, "--settings", settings)).toBe(false);
    expect(await rung(31_000)).toBe(false);
  });

  it("is joined from words", async () => {
    expect((await prompt("echo", "this")).out).toBe("you said: echo this");
  });

  it("may start with a dash or be the name of a command after --", async () => {
    expect((await prompt("--", "-x")).out).toBe("you said: -x");
    expect((await prompt("--", "chat")).out).toBe("you said: chat");
  });

  it("is stdin, or the words followed by stdin", async () => {
    const piped = await run(withAgent(), where({ stdin: "from a pipe\n" }));
    expect(piped.out).toBe("you said: from a pipe\n");
    const both = await run([...withAgent(), "review:"], where({ stdin: "the diff\n" }));
    expect(both.out).toBe("you said: review:\n\nthe diff");
  });

  it("does not read stdin with --no-stdin, or if it is neither a pipe nor a file", async () => {
    const never = new PassThrough();
    const left = await run(
      [...withAgent(), "--no-stdin", "hello"],
      where({ stdin: never, stdinKind: "pipe" }),
    );
    expect(left.out).toBe("Hello, world");
    const other = await run([...withAgent(), "hello"], where({ stdin: never, stdinKind: "other" }));
    expect(other.out).toBe("Hello, world");
  });

  it("prints a note if stdin stays silent", async () => {
    const stdin = new PassThrough();
    const { io, ended } = start([...withAgent(), "x"], where({ stdin, stdinKind: "pipe" }));
    await io.err.waitFor("waiting for stdin; use --no-stdin to ignore it");
    stdin.end("late");
    expect((await ended).out).toBe("you said: x\n\nlate");
  });

  it("can be interrupted while it waits for stdin", async () => {
    const stdin = new PassThrough();
    const { io, ended } = start([...withAgent(), "x"], where({ stdin, stdinKind: "pipe" }));
    await io.err.waitFor("waiting for stdin");
    io.signal("SIGINT");
    expect((await ended).code).toBe(130);
  });

  it("can be read from a file", async () => {
    await writeFile(join(folders.cwd, "prompt.md"), "from a file\n");
    expect((await prompt("-f", "prompt.md")).out).toBe("you said: from a file\n");
    const dash = await run(
      [...withAgent(), "-f", "-"],
      where({ stdin: "dashed", stdinKind: "other" }),
    );
    expect(dash.out).toBe("you said: dashed");
  });

  it("links the files and addresses that it mentions", async () => {
    const { out } = await prompt("blocks @a.txt and @https://example.com/x.md");
    expect(JSON.parse(out)).toEqual([
      { type: "text", text: "blocks @a.txt and @https://example.com/x.md" },
      {
        type: "resource_link",
        uri: pathToFileURL(join(folders.cwd, "a.txt")).href,
        name: "a.txt",
        mimeType: "text/plain",
        size: 8,
      },
      {
        type: "resource_link",
        uri: "https://example.com/x.md",
        name: "x.md",
        mimeType: "text/markdown",
      },
    ]);
  });

  it("contains an image if the agent accepts images, and fails otherwise", async () => {
    const taken = await prompt("--image", "pic.png", "blocks");
    expect(JSON.parse(taken.out)).toMatchObject([
      { type: "text" },
      { type: "image", mimeType: "image/png" },
    ]);
    const denied = await run([...withAgent("no-image"), "--image", "pic.png", "blocks"], where());
    expect(denied.code).toBe(2);
    expect(denied.last).toContain("does not accept images");
  });

  it.each([
    [[], "there is no prompt"],
    [["-f", "gone.md"], "gone.md: no such file"],
    [["--image", "gone.png", "x"], "gone.png: no such file"],
    [
      ["--fail-on", "refusl", "x"],
      '--fail-on "refusl" is not one of end_turn, max_tokens, max_turn_requests, refusal, cancelled, any; try: --fail-on refusal',
    ],
    [["--timeout", "soon", "x"], '--timeout "soon" is not a duration'],
    [["--permissions", "gone.json", "x"], "gone.json: no such permissions file"],
    [["--cwd", "gone", "x"], "--cwd gone is not a folder"],
    [["--record", "gone/x", "x"], "could not write --record gone/x"],
    [["--resume", "x", "--continue", "y"], "--resume and --continue contradict each other"],
    [["--no-stdin", "-f", "-"], "contradict each other"],
  ])("with %j fails before the agent starts, with one line", async (argv, message) => {
    const { code, out, err, last } = await prompt(...argv);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(last).toContain(message);
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  it("runs in the folder of --cwd", async () => {
    await mkdir(join(folders.cwd, "inner"), { recursive: true });
    expect((await prompt("-C", "inner", "env")).out).toBe(`none ${join(folders.cwd, "inner")}`);
  });
});

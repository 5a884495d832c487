import { appendFile, chmod, copyFile, mkdir, readFile } from "node:fs/promises";
import { stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseRecording, recorder } from "../../../../../src/transport/wire/index.ts";
import { type HttpAnswer, send } from "../../../inspector/server/http.ts";
import { run, type Running, start } from "../../support/run.ts";
import { expectRefused, foldersForEach } from "../setup.ts";

const recordings = fileURLToPath(new URL("../../../../../examples/recordings", import.meta.url));
const captures = fileURLToPath(new URL("../../../../transcripts/captures", import.meta.url));

const folders = foldersForEach();
let running: Running[] = [];
beforeEach(async () => {
  await copyFile(join(recordings, "gemini-0.61.0-load.jsonl"), join(folders.cwd, "gemini.jsonl"));
  await copyFile(join(recordings, "droid-0.225.2.jsonl"), join(folders.cwd, "droid.jsonl"));
});
afterEach(async () => {
  for (const { io, ended } of running) {
    io.signal("SIGINT");
    await ended;
  }
  running = [];
});

const inspect = (...argv: string[]) => run(["inspect", ...argv], folders);

interface Shown extends Running {
  readonly port: number;
  readonly url: string;
  readonly get: (path: string) => Promise<HttpAnswer>;
}

/** Starts a page and waits for its address. */
async function show(...argv: string[]): Promise<Shown> {
  const started = start(["inspect", "--no-open", ...argv], folders);
  running.push(started);
  await Promise.race([started.io.err.waitFor(/#token=\S+\n/), started.ended]);
  const [url = "", port = "", token = ""] =
    /http:\/\/127\.0\.0\.1:(\d+)\/#token=(\S+)/.exec(started.io.err.text) ?? [];
  const server = { port: Number(port) };
  const get = (path: string) => send(server, path, { authorization: `Bearer ${token}` });
  return { ...started, port: Number(port), url, get };
}

async function sessionsOf({ get }: Shown): Promise<Record<string, unknown>[]> {
  return JSON.parse((await get("/api/sessions")).text).sessions;
}

const namesOf = async (shown: Shown) => (await sessionsOf(shown)).map(({ name }) => name);

/** Writes a recording of this many frames. */
function recorded(count: number, first = 0): string {
  let text = "";
  const record = recorder((line) => (text += line));
  for (let n = first; n < first + count; n++)
    record({ at: n, direction: "out", line: `{"jsonrpc":"2.0","method":"m${n}"}` });
  return text;
}

describe("dragoman inspect FILE", () => {
  it("serves a recording until a signal ends it", async () => {
    const shown = await show("gemini.jsonl");
    expect(shown.io.err.text).toBe(`dragoman: inspecting gemini.jsonl at ${shown.url}\n`);
    expect(await sessionsOf(shown)).toEqual([
      expect.objectContaining({ name: "gemini.jsonl", live: false, losses: [], redacted: true }),
    ]);
    const { text } = await shown.get("/api/recording?session=1");
    const original = await readFile(join(folders.cwd, "gemini.jsonl"), "utf8");
    expect(parseRecording(text).lines).toEqual(parseRecording(original).lines);
    expect(parseRecording(text).events).toEqual(parseRecording(original).events);
    expect(JSON.parse((await shown.get("/api/findings?session=1")).text)).toMatchObject({
      v: 1,
      findings: [{ rule: "ACP-SCHEMA-002" }, { rule: "ACP-LOAD-002", side: "agent" }],
    });
    shown.io.signal("SIGINT");
    expect(await shown.ended).toMatchObject({ code: 0, out: "" });
    await expect(shown.get("/")).rejects.toThrow("ECONNREFUSED");
    expect(shown.io.listening()).toBe(0);
  });

  it("names files without their folders, unless two have the same name", async () => {
    await mkdir(join(folders.cwd, "a"));
    await copyFile(join(folders.cwd, "droid.jsonl"), join(folders.cwd, "a", "droid.jsonl"));
    const shown = await show(join(folders.cwd, "gemini.jsonl"), "a/droid.jsonl");
    expect(await namesOf(shown)).toEqual(["gemini.jsonl", "droid.jsonl"]);
    const alike = await show("droid.jsonl", "a/droid.jsonl");
    expect(await namesOf(alike)).toEqual(["droid.jsonl", "a/droid.jsonl"]);
  });

  it.each([
    ["opencode-1.17.4.json", "acp-devtools"],
    ["same-session/acp-inspector-trace-v1.jsonl", "acp-inspector"],
    ["same-session/agent-frames.jsonl", "agent-frames"],
    ["same-session/conductor.jsons", "conductor"],
    ["same-session/dragoman-v1.jsonl", "dragoman"],
    ["same-session/fsharp-inspector.jsonl", "direction-json"],
    ["same-session/zed-copy-all.json", "zed"],
  ])("recognizes %s by its content, and states its losses", async (name, format) => {
    await copyFile(join(captures, name), join(folders.cwd, "capture"));
    await utimes(join(folders.cwd, "capture"), 0, 0);
    const [session] = await sessionsOf(await show("capture"));
    expect(session).toMatchObject({ format, live: false });
    expect(session?.["losses"]).not.toEqual([]);
  });

  it("shows each connection of a capture as a session of its own", async () => {
    const entry = (from: string, to: string, id: number): string =>
      JSON.stringify({ type: "request", protocol: "acp", ts: id, from, to, id, method: "m" });
    const lines = [entry("Client", "Proxy(0)", 1), entry("Proxy(0)", "Agent", 2)];
    await writeFile(join(folders.cwd, "trace.jsons"), `${lines.join("\n")}\n`);
    const shown = await show("trace.jsons");
    expect((await sessionsOf(shown)).map(({ name, entries }) => [name, entries])).toEqual([
      ["trace.jsons · Client - Proxy(0)", 1],
      ["trace.jsons · Proxy(0) - Agent", 1],
    ]);
  });

  it("follows a file that grows, and a line that is written in two pieces", async () => {
    const file = join(folders.cwd, "live.jsonl");
    await writeFile(file, recorded(2));
    const shown = await show("live.jsonl");
    expect(await sessionsOf(shown)).toMatchObject([{ live: true, entries: 2 }]);
    const [, third = ""] = recorded(1, 2).split("\n");
    await appendFile(file, third.slice(0, 20));
    await appendFile(file, `${third.slice(20)}\n`);
    await expect
      .poll(async () => (await sessionsOf(shown))[0], { timeout: 20_000 })
      .toMatchObject({ entries: 3, live: true });
    const { text } = await shown.get("/api/findings?session=1");
    expect(JSON.parse(text)).toMatchObject({ entries: 3 });
  });

  it("reports a file that is replaced while it is shown", async () => {
    const file = join(folders.cwd, "live.jsonl");
    await writeFile(file, recorded(5));
    const shown = await show("live.jsonl");
    await writeFile(file, recorded(1));
    await shown.io.err.waitFor("live.jsonl is not read anymore: it was replaced");
    expect(await sessionsOf(shown)).toMatchObject([{ live: false, entries: 5 }]);
  });

  it("shows what is there of a recording whose last line was cut", async () => {
    const file = join(folders.cwd, "cut.jsonl");
    await writeFile(file, recorded(3).slice(0, -10));
    await utimes(file, 0, 0);
    expect(await sessionsOf(await show("cut.jsonl"))).toMatchObject([
      { live: false, entries: 2, losses: [{ code: "cut" }] },
    ]);
  });

  it("uses the port that it is given, and says if it is taken", async () => {
    const first = await show("gemini.jsonl");
    const taken = inspect("gemini.jsonl", "--no-open", "--port", String(first.port));
    await expectRefused(taken, new RegExp(`127\\.0\\.0\\.1:${first.port}.*; try: another --port$`));
  });

  it("writes the address to a file that only the user can read, and removes it at the end", async () => {
    const file = join(folders.cwd, "url");
    const shown = await show("gemini.jsonl", "--url-file", "url");
    expect(await readFile(file, "utf8")).toBe(`${shown.url}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    shown.io.signal("SIGTERM");
    await shown.ended;
    await expect(stat(file)).rejects.toThrow("ENOENT");
  });

  it("replaces the address of an earlier run, but no other file", async () => {
    await writeFile(join(folders.cwd, "url"), "http://127.0.0.1:1/#token=old\n");
    await show("gemini.jsonl", "--url-file", "url");
    await writeFile(join(folders.cwd, "mine"), "my notes");
    const refused = inspect("gemini.jsonl", "--no-open", "--url-file", "mine");
    const why = "could not write --url-file mine: there is another file of that name";
    await expectRefused(refused, why);
    expect(await readFile(join(folders.cwd, "mine"), "utf8")).toBe("my notes");
  });

  it("opens a browser without the token on its command line", async () => {
    const bin = join(folders.home, "bin");
    await mkdir(bin);
    const browser = join(bin, "xdg-open");
    await writeFile(browser, `#!/bin/sh\necho "$@" > '${join(folders.home, "opened")}'\n`);
    await chmod(browser, 0o755);
    const env = { DISPLAY: ":0", PATH: `${bin}:${process.env["PATH"] ?? ""}` };
    const started = start(["inspect", "gemini.jsonl"], { ...folders, env });
    running.push(started);
    await started.io.err.waitFor("#token=");
    const opened = (): Promise<string> =>
      readFile(join(folders.home, "opened"), "utf8").catch(() => "");
    await expect.poll(opened, { timeout: 20_000 }).toMatch(/\n$/);
    const [, port = "", path = ""] =
      /^http:\/\/127\.0\.0\.1:(\d+)(\/open\?code=[\w-]{43})\n$/.exec(await opened()) ?? [];
    const { status, headers } = await send({ port: Number(port) }, path);
    expect(status).toBe(303);
    expect(started.io.err.text).toContain(headers.location);
  });

  it("removes secrets, and keeps them if the user asks for it", async () => {
    const line = '{"jsonrpc":"2.0","method":"x","params":{"apiKey":"hunter22"}}';
    let text = "";
    recorder((part) => (text += part), { keepSecrets: true })({ at: 0, direction: "out", line });
    const file = join(folders.cwd, "raw.jsonl");
    await writeFile(file, text);
    // A file that was changed just now is followed, and a request for it does not end.
    await utimes(file, 0, 0);
    const clean = await show("raw.jsonl");
    expect((await clean.get("/api/recording?session=1")).text).not.toContain("hunter22");
    const raw = await show("raw.jsonl", "--keep-secrets");
    expect((await raw.get("/api/recording?session=1")).text).toContain("hunter22");
    expect(await sessionsOf(raw)).toMatchObject([{ redacted: false }]);
  });
});

describe("a file that cannot be shown", () => {
  it.each([
    ["that is missing", "nothing.jsonl", "nothing.jsonl: no such file"],
    ["that is a folder", ".", ". is a folder, not a file"],
    ["that is empty", "empty", "empty: the file is empty"],
    [
      "of another kind",
      "text",
      "text: the file is not a recording, and not a capture of any other program that is known",
    ],
    [
      "of a newer version",
      "newer",
      "newer: the recording has version 99, but this program reads only up to version 2",
    ],
  ])("%s is named in the error, with exit code 2", async (_, name, message) => {
    await writeFile(join(folders.cwd, "empty"), "");
    await writeFile(join(folders.cwd, "text"), "hello\u001b[2J\n".repeat(100));
    await writeFile(join(folders.cwd, "newer"), '{"recording":"dragoman","version":99}\n');
    for (const more of [["--no-open"], ["--findings", "json"], ["--export", "out.html"]])
      expect(await inspect(name, ...more)).toMatchObject({ code: 2, out: "", last: message });
    await expect(stat(join(folders.cwd, "out.html"))).rejects.toThrow("ENOENT");
  });

  it("is a pipe, which could block", async () => {
    await symlink("/dev/zero", join(folders.cwd, "zero"));
    expect(await inspect("zero")).toMatchObject({ code: 2, last: "zero is a device, not a file" });
  });
});

describe("the arguments of inspect", () => {
  it.each([
    [[], "inspect needs a recording or an agent"],
    [["a", "b", "c"], "inspect compares two files at most"],
    [["a", "--", "agent"], "inspect shows a or an agent, not both"],
    [["-a", "x", "--", "agent"], "-a and a command contradict each other"],
    [["--export", "x.html", "--", "agent"], "--export needs a file"],
    [["a", "--export", "x", "--findings", "json"], "--export and --findings contradict each other"],
    [["a", "--export", "x", "--no-open"], "--no-open and --export contradict each other"],
    [["gemini.jsonl", "--findings", "xml"], '--findings "xml" is not one of text, json'],
    [["a", "b", "--findings", "json"], "--findings takes one file or session"],
    [["a", "--nats-ca", "ca.pem"], "--nats-ca needs --nats"],
    [["--nats", "nats://127.0.0.1:1"], "inspect --nats needs a session"],
    [["--nats", "nats://127.0.0.1:1", "-a", "x"], "--nats and an agent contradict each other"],
    [["--nats", "nats://127.0.0.1:1", "a", "b", "c"], "inspect compares two sessions at most"],
    [["gemini.jsonl", "--port", "70000"], "--port 70000 is not a port"],
    [["gemini.jsonl", "--port", "x"], '--port "x" is not a whole number'],
  ])("%j are refused", (argv, message) => expectRefused(inspect(...argv), message));
});

describe("--findings", () => {
  it("prints JSON, and exits with 1 if there is an error", async () => {
    const { code, out, err } = await inspect("gemini.jsonl", "--findings", "json");
    expect({ code, err }).toEqual({ code: 1, err: "" });
    const { v, findings } = JSON.parse(out);
    expect(v).toBe(1);
    expect(findings).toEqual([
      expect.objectContaining({ rule: "ACP-SCHEMA-002" }),
      {
        rule: "ACP-LOAD-002",
        severity: "error",
        side: "agent",
        requirement: expect.any(String),
        source: expect.any(String),
        message: "the replay went on after session/load was answered",
        frames: [3, 5, 6, 7, 8, 9],
      },
    ]);
  });

  it("prints text for people", async () => {
    const { code, out } = await inspect("gemini.jsonl", "--findings", "text");
    expect(code).toBe(1);
    expect(out).toMatch(/^error {2}ACP-LOAD-002 {2}agent {2}frames 3, 5, 6, 7, 8, 9$/m);
    expect(out).toMatch(/\n2 errors\n$/);
  });

  it("exits with 0 if there is none", async () => {
    let text = "";
    const record = recorder((part) => (text += part));
    const line = (message: object): string => JSON.stringify({ jsonrpc: "2.0", id: 1, ...message });
    const params = { protocolVersion: 1, clientCapabilities: {} };
    record({ at: 0, direction: "out", line: line({ method: "initialize", params }) });
    record({ at: 1, direction: "in", line: line({ result: { protocolVersion: 1 } }) });
    await writeFile(join(folders.cwd, "good.jsonl"), text);
    expect(await inspect("good.jsonl", "--findings", "json")).toMatchObject({
      code: 0,
      out: '{"v":1,"findings":[]}\n',
    });
    expect((await inspect("good.jsonl", "--findings", "text")).out).toBe("no findings\n");
  });
});

describe("--export", () => {
  it("writes one file with the recording and its findings, and says what it holds", async () => {
    const { code, err } = await inspect("gemini.jsonl", "--export", "out.html");
    expect(code).toBe(0);
    expect(err).toMatch(
      /^dragoman: wrote out\.html\ndragoman: gemini\.jsonl: 0 secrets hidden; it holds \d+ prompts?, /,
    );
    const file = join(folders.cwd, "out.html");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const html = await readFile(file, "utf8");
    expect(html).toMatch(
      /<meta http-equiv="content-security-policy" content="default-src 'none'; /,
    );
    expect(html).toContain("connect-src 'none'");
    const [, data = ""] = /id="recording-1">([^<]*)</.exec(html) ?? [];
    const original = await readFile(join(folders.cwd, "gemini.jsonl"), "utf8");
    const embedded = gunzipSync(Buffer.from(data, "base64")).toString();
    expect(parseRecording(embedded).lines).toEqual(parseRecording(original).lines);
    const [, findings = ""] = /id="findings-1">([^<]*)</.exec(html) ?? [];
    expect(JSON.parse(findings).findings).toHaveLength(2);
  });

  it("never writes over another file", async () => {
    await writeFile(join(folders.cwd, "out.html"), "mine");
    const taken = "--export out.html: there is a file of that name; try: another name";
    await expectRefused(inspect("gemini.jsonl", "--export", "out.html"), taken);
    expect(await readFile(join(folders.cwd, "out.html"), "utf8")).toBe("mine");
    expect((await inspect("gemini.jsonl", "--export", "no/out.html")).code).toBe(2);
  });

  it("embeds two files to compare", async () => {
    await inspect("gemini.jsonl", "droid.jsonl", "--export", "out.html");
    const html = await readFile(join(folders.cwd, "out.html"), "utf8");
    expect(html).toContain('id="recording-2"');
  });

  it("escapes everything that a hostile recording could end an element with", async () => {
    const line = "</script><script>alert(1)</script><!--";
    let text = "";
    recorder((part) => (text += part))({ at: 0, direction: "in", line });
    const name = "x<script>.jsonl";
    await writeFile(join(folders.cwd, name), text);
    await inspect(name, "--export", "out.html");
    const html = await readFile(join(folders.cwd, "out.html"), "utf8");
    expect(html).not.toMatch(/alert|x<script>/);
    expect(html.match(/<script\b/g)).toHaveLength(5);
  });
});

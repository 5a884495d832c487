import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, it } from "vitest";
import { parseReport } from "../../../../../src/conformance/check/index.ts";
import { expectRefused, foldersForEach } from "../setup.ts";
import { run, start } from "../../support/run.ts";
import {
  failureOf,
  MIXED,
  reportOf,
  resultOf,
} from "../../../../conformance/check/support/reports.ts";

/** An agent that answers `initialize` and `session/new` only. `VERSION` is the version that it answers. */
const AGENT = `
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const version = Number(process.env.VERSION ?? 1);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const agentInfo = { name: "tiny", version: "0.1.0", title: process.env.SECRET };
  if (method === "initialize")
    send({ id, result: { protocolVersion: version, agentCapabilities: {}, agentInfo } });
  else if (process.env.LOGIN) send({ id, error: { code: -32000, message: "sign in first" } });
  else if (method === "session/new") send({ id, result: { sessionId: String(Math.random()) } });
  else send({ id, error: { code: -32601, message: "unknown method" } });
}).on("close", () => process.exit(0));
`;

const folders = foldersForEach();
let agent: string;
beforeEach(async () => {
  agent = join(folders.home, "agent.mjs");
  await writeFile(agent, AGENT);
});

const file = (name: string) => readFile(join(folders.cwd, name), "utf8");
const write = (name: string, value: unknown) =>
  writeFile(join(folders.cwd, name), typeof value === "string" ? value : JSON.stringify(value));
/** Checks the agent that answers this version, by a few quick requirements. */
const check = (version: number, words: readonly string[] = [], more: object = {}) =>
  run(["check", "--only", "ACP-INIT-001,ACP-INIT-002", ...words, "--", ...commandOf(version)], {
    ...folders,
    ...more,
  });
const commandOf = (version: number) => ["env", `VERSION=${version}`, process.execPath, agent];

describe("a check of an agent", () => {
  it("prints each area and exits with 0 if nothing failed", async () => {
    const { code, out } = await check(1);
    expect(out).toMatch(/^ {2}initialize\n {4}✔ {3}ACP-INIT-001 .*\n {4}✔ {3}ACP-INIT-002 /);
    expect(out).toContain("\ntiny 0.1.0 (agent, ACP 1,");
    expect(out).toMatch(/\nno MUST-level failures\n$/);
    expect(code).toBe(0);
  });
  it("exits with 1 if something failed, and shows the frames and how to repeat the case", async () => {
    const { code, out } = await check(7);
    expect(code).toBe(1);
    expect(out).toContain(") ACP-INIT-002 MUST failed\n");
    expect(out).toMatch(/Repeat: +dragoman check --only ACP-INIT-002 -- env VERSION=7 /);
    expect(out).toMatch(/#\d+ <- \{.*"protocolVersion":7/);
  });
  it("starts the agent in the user's folder, so that relative paths work", async () => {
    await write("tiny.mjs", AGENT);
    const words = ["check", "--only", "ACP-INIT-001", "--", process.execPath, "tiny.mjs"];
    expect((await run(words, folders)).code).toBe(0);
  });
  it("exits with 7 and says once why the agent did not start, and leaves out what was not chosen", async () => {
    const words = ["check", "--only", "initialize", "--json", "r.json", "--", "no-such-agent"];
    const { code, out } = await run(words, folders);
    expect(code).toBe(7);
    expect(out).toContain("the subject did not start: ");
    expect(out.match(/command not found/g)).toHaveLength(1);
    expect(out).not.toContain("ACP-INIT-001");
    const { results } = parseReport(await file("r.json"));
    const statusOf = (id: string) => results.find((one) => one.id === id)?.status;
    expect(statusOf("ACP-INIT-001")).toBe("untested");
    expect(statusOf("ACP-CANCEL-001")).toBe("skipped");
  });
  it("shows what the agent wrote before it died", async () => {
    const program = 'console.error("no config file"); process.exit(3)';
    const { code, out } = await run(["check", "--", process.execPath, "-e", program], folders);
    expect(code).toBe(7);
    expect(out).toMatch(/exited with code 3 before it was initialized.*no config file/);
  });
  it("exits with 6 if the agent needs a sign-in", async () => {
    const command = ["env", "LOGIN=1", process.execPath, agent];
    const { code, out } = await run(
      ["check", "--only", "ACP-SESSION-001", "--", ...command],
      folders,
    );
    expect(out).toMatch(/the subject needs authentication, .*sign in first/);
    expect(code).toBe(6);
  });
  it("exits with 3 if the run takes longer than its limit", async () => {
    const silent = ["--", process.execPath, "-e", "process.stdin.resume()"];
    const { code, out } = await run(["check", "--timeout", "300ms", ...silent], folders);
    expect(code).toBe(3);
    expect(out).toContain("time limit, so some requirements are untested: the agent had not yet");
  });
  it("ends with the code of a signal", async () => {
    const pid = join(folders.cwd, "pid");
    const program = `require("fs").writeFileSync(${JSON.stringify(pid)}, ""); process.stdin.resume()`;
    const running = start(["check", "--", process.execPath, "-e", program], folders);
    await expect.poll(() => readdir(folders.cwd)).toContain("pid");
    running.io.signal("SIGINT");
    const { code, out } = await running.ended;
    expect(code).toBe(130);
    expect(out).toBe("");
  });
});

describe("a check of a client", () => {
  const checkClient = (program: string) =>
    run(["check", "client", "--", process.execPath, "-e", program], folders);

  it("exits with 7 and says what is missing if the client does not start the agent", async () => {
    const { code, out } = await checkClient("");
    expect(code).toBe(7);
    expect(out).toMatch(/ended with exit code 0 and did not start the agent: .*\{agent\}/);
    expect(out).not.toContain("DRC-INIT-01");
  });
  it("shows what such a client wrote", async () => {
    const { out } = await checkClient('console.error("unknown option"); process.exit(4)');
    expect(out).toMatch(/ended with exit code 4 .*unknown option/);
  });
});

describe("usage errors have the exit code 2", () => {
  it.each([
    ["check", "check needs an agent"],
    ["check -a demo -- x", "-a and a command contradict each other"],
    ["check the docs", 'check does not take "the docs"'],
    ["check client", "check client needs the command of a client"],
    ["check report", "check report needs reports"],
    ["check report a.json --only cancel", "--only does not apply to check report"],
    ["check report a.json", "a.json: no such report"],
    ["check --only ACP-NOTHING -- x", '"ACP-NOTHING" is neither the id nor the area'],
    ["check --only cancel --skip cancel -- x", "leave no requirement"],
    ["check --level all -- x", '--level "all" is not one of must, should, warn'],
    ["check --protocol newest -- x", "check needs one version of the protocol"],
    ["check --jobs 0 -- x", '--jobs "0" is not a number from 1 on'],
    ["check --model gpt -- x", '--model "gpt" is not one of scripted, none'],
    ["check --model-env A=b -- x", '--model-env "A=b" is not NAME=VALUE with {url}'],
    ["check --driver d.json -- x", "--driver does not apply to a check of agents"],
    ["check client --prompts p.json -- x", "--prompts does not apply to a check of clients"],
    ["check --prompts none.json -- x", "none.json: no such file"],
    ["check --update-baseline -- x", "--update-baseline needs a file"],
    [
      "check --baseline none.json -- x",
      "--baseline none.json: no such file; try: --update-baseline to write it",
    ],
    [
      "check --json no/such/f.json -- x",
      "could not write --json no/such/f.json: there is no folder",
    ],
    ["check --html . -- x", "could not write --html .: it is a folder"],
    ["check --recordings . -- x", "--recordings starts nothing"],
    ["check --recordings .", "--recordings . has no recordings"],
    ["check --recordings none", "could not read --recordings none: there is no such folder"],
  ])("dragoman %s", (line, message) => expectRefused(run(line.split(" "), folders), message));
  it.each([
    ["prompts.json", "{", "check --prompts prompts.json -- x", "prompts.json is not JSON"],
    ["p.json", '{"fly":"x"}', "check --prompts p.json -- x", "--prompts p.json: "],
    ["p.json", '{"fly":"x"}', "check --prompts p.json -- x", 'unknown prompt "fly"'],
    ["d.json", "[]", "check client --driver d.json -- x", "--driver d.json: a driver file must"],
    ["d.json", '{"fly":{}}', "check client --driver d.json -- x", 'unknown entry "fly"'],
    ["b.json", "{", "check --baseline b.json -- x", "--baseline b.json: it is not JSON: "],
    [
      "b.json",
      '{"v":1,"entries":[{"id":"X-1","reason":"r"}]}',
      "check --baseline b.json -- x",
      '"X-1" is not the id',
    ],
    ["a.json", "{}", "check report a.json", "a.json: this is not a report"],
  ])("%s with %s", async (name, text, line, message) => {
    await write(name, text);
    await expectRefused(run(line.split(" "), folders), message);
  });
  it("words after check can be sent as a prompt", async () => {
    const { last } = await run(["check", "the", "docs"], folders);
    expect(last).toContain("dragoman -- check the docs to send it as a prompt");
  });
});

describe("--list", () => {
  it("prints the requirements and starts nothing", async () => {
    const { code, out } = await run(["check", "--list", "--only", "ACP-INIT-00?"], folders);
    expect(code).toBe(0);
    expect(out.split("\n").map((line) => line.split(" ", 1)[0])).toEqual([
      "ID",
      "ACP-INIT-001",
      "ACP-INIT-002",
      "ACP-INIT-003",
      "ACP-INIT-004",
      "",
    ]);
  });
  it("knows the requirements of clients and of version 2", async () => {
    expect((await run(["check", "client", "--list"], folders)).out).toContain("\nDRC-INIT-01 ");
    const two = await run(["check", "--list", "--protocol", "2"], folders);
    expect(two.out).toContain("\nACP-INIT-201 ");
  });
});

describe("reports", () => {
  it("are written in every form", async () => {
    const files = "--json r.json --junit r.xml --html r.html --markdown r.md";
    expect((await check(7, files.split(" "))).code).toBe(1);
    const report = parseReport(await file("r.json"));
    expect(report.subject).toMatchObject({ name: "tiny", version: "0.1.0", protocol: 1 });
    expect(report.results.find(({ id }) => id === "ACP-INIT-002")?.status).toBe("failed");
    // Every id is there, also those that were left out.
    expect(report.results.length).toBeGreaterThan(150);
    expect(await file("r.xml")).toContain('<failure message="');
    expect(await file("r.html")).toContain("<b>ACP-INIT-002</b>");
    expect(await file("r.md")).toContain("<b>ACP-INIT-002</b>");
  });
  it("are added to the summary of a GitHub step", async () => {
    const summary = join(folders.cwd, "summary.md");
    await writeFile(summary, "before\n");
    await check(1, ["--markdown", summary], { env: { GITHUB_STEP_SUMMARY: summary } });
    expect(await file("summary.md")).toMatch(/^before\n## ✅ tiny 0\.1\.0\n/);
  });
  it("of earlier runs are put side by side", async () => {
    await write("a.json", reportOf(MIXED, { name: "first" }));
    await write("b.json", reportOf([resultOf({ id: "ACP-INIT-002" })], { name: "second" }));
    const words = ["check", "report", "a.json", "b.json", "--html", "m.html", "--markdown", "m.md"];
    const { code, out } = await run(words, folders);
    // The first one has a fault of the checker.
    expect(code).toBe(9);
    expect(out).toContain("second 1.2.3");
    expect(await file("m.html")).toContain("By requirement");
    expect(await file("m.md")).toContain("| ACP-INIT-002 | MUST | ✘ | ✔ |");
  });
  it("hide the secrets that the settings give to the agent", async () => {
    const settings = join(folders.home, "settings.json");
    const entry = {
      command: process.execPath,
      args: [agent],
      env: { SECRET: "correct-horse-battery", VERSION: "7" },
    };
    await writeFile(settings, JSON.stringify({ agent_servers: { tiny: entry } }));
    const words = ["check", "-a", "tiny", "--settings", settings, "--only", "ACP-INIT-002"];
    const { out } = await run([...words, "--json", "r.json", "--record-dir", "rec"], folders);
    expect(out).toContain("ACP-INIT-002 MUST failed");
    const texts = [out, await file("r.json"), await file("rec/ACP-INIT-002.jsonl")];
    for (const text of texts) expect(text).not.toContain("correct-horse");
  });
});

describe("a recording of a failed case", () => {
  it("plays the agent's part with replay", async () => {
    await check(7, ["--record-dir", "rec"]);
    const recording = join(folders.cwd, "rec", "ACP-INIT-002.jsonl");
    const stdin = new PassThrough();
    const replayed = start(["replay", recording], { ...folders, stdin });
    stdin.write('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n');
    await replayed.io.out.waitFor('"protocolVersion":7');
    stdin.end();
    await replayed.ended;
  });
});

describe("a baseline", () => {
  const entryOf = (id: string) => ({ id, reason: "known" });
  it("accepts a violation", async () => {
    await write("only2.json", { v: 1, entries: [entryOf("ACP-INIT-002")] });
    const accepted = await check(7, ["--baseline", "only2.json", "--skip", "ACP-INIT-001"]);
    expect(accepted.out).toContain("Accepted by the baseline:\n\n  ACP-INIT-002 MUST: known\n");
    expect(accepted.code).toBe(0);
    const stale = await check(1, ["--baseline", "only2.json"]);
    expect(stale.code).toBe(1);
    expect(stale.out).toContain("ACP-INIT-002 is in the baseline, but it passes");
  });
  it("keeps entries of requirements that were left out", async () => {
    await write("b.json", { v: 1, entries: [entryOf("ACP-CANCEL-001")] });
    const { code, out } = await check(1, ["--baseline", "b.json"]);
    expect(code).toBe(0);
    expect(out).toContain("ACP-CANCEL-001 is in the baseline, and this run did not judge it");
  });
  it("is written and updated by a run, which then passes", async () => {
    const words = ["--baseline", "b.json", "--update-baseline"];
    expect((await check(7, words)).code).toBe(0);
    expect(await file("b.json")).toContain('"id": "ACP-INIT-002"');
    expect((await check(7, ["--baseline", "b.json"])).code).toBe(0);
    expect((await check(1, words)).code).toBe(0);
    expect(await file("b.json")).not.toContain("ACP-INIT-002");
  });
});

describe("--recordings", () => {
  const header = {
    recording: "dragoman",
    version: 1,
    startedAt: "2026-01-01T00:00:00Z",
    redacted: true,
  };
  const recording = (...lines: readonly (readonly ["in" | "out", string])[]) =>
    [header, ...lines.map(([direction, line], ms) => ({ ms, direction, line }))]
      .map((value) => JSON.stringify(value))
      .join("\n");
  const initialize = [
    ["out", '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'],
    [
      "in",
      '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"old","version":"3"}}}',
    ],
  ] as const;
  beforeEach(() => mkdir(join(folders.cwd, "rec", "sub"), { recursive: true }));

  it("are judged without an agent, by the rules about all traffic", async () => {
    await write("rec/sub/a.jsonl", recording(...initialize, ["in", "a line of a log"]));
    await write("rec/other.jsonl", "{}\n");
    const { code, out, err } = await run(
      ["check", "--recordings", "rec", "--json", "r.json"],
      folders,
    );
    expect(err).toContain("other.jsonl is left out: the file is not a recording");
    expect(out).toContain("ACP-TRANSPORT-001 MUST failed");
    expect(out).toContain("old 3 (agent, ACP 1");
    expect(code).toBe(1);
    const { results } = parseReport(await file("r.json"));
    expect(results.find(({ id }) => id === "ACP-INIT-001")).toMatchObject({ status: "skipped" });
  });
  it("pass if nothing is wrong", async () => {
    await write("rec/a.jsonl", recording(...initialize));
    expect((await run(["check", "--recordings", "rec"], folders)).code).toBe(0);
  });
});

it("a violation below the level is a warning", async () => {
  await write("a.json", reportOf([failureOf("A", { level: "WARN" }), resultOf({ id: "B" })]));
  expect((await run(["check", "report", "a.json"], folders)).code).toBe(0);
  expect((await run(["check", "report", "a.json", "--level", "warn"], folders)).code).toBe(1);
});

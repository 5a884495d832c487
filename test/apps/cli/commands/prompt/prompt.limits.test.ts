// Budgets, structured answers and the result as one object.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { events, run, withAgent } from "../../support/run.ts";
import { expectRefused, foldersForAll } from "../setup.ts";

const folders = foldersForAll();
beforeAll(async () => {
  const schema = {
    type: "object",
    properties: { n: { type: "integer" } },
    required: ["n"],
    additionalProperties: false,
  };
  await writeFile(join(folders.cwd, "schema.json"), JSON.stringify(schema));
  await writeFile(join(folders.cwd, "bad.json"), "{");
  await writeFile(join(folders.cwd, "list.json"), "[]");
  await writeFile(join(folders.cwd, "odd.json"), '{"type":"nonsense"}');
});
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], folders);

describe("--max-tool-calls", () => {
  it("cancels the turn when the limit is passed", async () => {
    const passed =
      "the run made 3 tool calls, more than --max-tool-calls 2; the turn was cancelled; try: a higher limit";
    await expectRefused(prompt("--max-tool-calls", "2", "tools 50"), passed, 12);
  });
  it("has no effect up to the limit", async () => {
    expect(await prompt("--max-tool-calls", "5", "tools 5")).toMatchObject({
      code: 0,
      out: "counted",
    });
  });
  it("is reported in the result", async () => {
    const { out } = await prompt("-o", "events", "--max-tool-calls", "0", "tools 50");
    expect(events(out).at(-1)).toMatchObject({
      type: "result",
      ok: false,
      exitCode: 12,
      stopReason: "cancelled",
      error: { kind: "budget", message: expect.stringContaining("made 1 tool call,") },
    });
  });
  it("ends a chat", async () => {
    const { code } = await run(["chat", ...withAgent(), "--max-tool-calls", "1"], {
      ...folders,
      stdin: "tools 50\nhello\n",
    });
    expect(code).toBe(12);
  });
});

describe("--max-cost and --max-tokens", () => {
  it("cancel the turn when the limit is passed", async () => {
    const spend = "spend 0.1 0.2 0.3 0.4";
    const cost = "the run cost 0.3 USD, more than --max-cost 0.25; the turn was";
    await expectRefused(prompt("--max-cost", "0.25", spend), cost, 12);
    const tokens = "the run used 300 tokens, more than --max-tokens 250; the turn";
    await expectRefused(prompt("--max-tokens", "250", spend), tokens, 12);
  });
  it("count tokens that the agent reports at the end of the turn", async () => {
    expect(await prompt("--max-tokens", "699", "counted")).toMatchObject({
      code: 12,
      out: "counted",
      last: "the run used 700 tokens, more than --max-tokens 699; try: a higher limit",
    });
    expect(await prompt("--max-tokens", "700", "counted")).toMatchObject({ code: 0, err: "" });
  });
  it("say once that the agent reports nothing", async () => {
    const { code, err } = await prompt("--max-cost", "1", "--max-tokens", "5", "hello");
    expect(code).toBe(0);
    expect(err).toBe(
      "dragoman: node reports no cost, so --max-cost has no effect\n" +
        "dragoman: node reports no tokens, so --max-tokens has no effect\n",
    );
  });
  it.each([
    [["--max-cost", "much"], '--max-cost "much" is not an amount; try: --max-cost 0.50'],
    [["--max-cost", "0,5"], '--max-cost "0,5" is not an amount'],
    [["--max-tokens", "1.5"], '--max-tokens "1.5" is not a whole number'],
    [["--max-tool-calls", "1k"], '--max-tool-calls "1k" is not a whole number'],
  ])("%j is a usage error", (argv, message) => expectRefused(prompt(...argv, "hello"), message));
});

describe("--schema", () => {
  const typed = (...argv: string[]) => prompt("--schema", "schema.json", ...argv);
  it("prints the answer alone, as JSON", async () => {
    expect(await typed('json [{ "n": 1 }]')).toMatchObject({ code: 0, out: '{"n":1}\n', err: "" });
  });
  it("finds the JSON in the text after the last tool call", async () => {
    const answer = { tool: true, text: 'Here:\n```json\n{ "n": 2 }\n```\n' };
    const { code, out } = await typed("-o", "simple", `json ${JSON.stringify([answer])}`);
    expect({ code, out }).toEqual({ code: 0, out: '{"n":2}\n' });
  });
  it("lets the agent correct its answer", async () => {
    const { code, out, err } = await typed('json [{ "m": 1 }, { "text": "?" }, { "n": 3 }]');
    expect({ code, out }).toEqual({ code: 0, out: '{"n":3}\n' });
    expect(err).toBe(
      "dragoman: the answer does not match the schema; attempt 2\n" +
        "dragoman: the answer does not match the schema; attempt 3\n",
    );
  });
  it("exits with 11 and prints nothing if no answer matches", async () => {
    const { code, out, last } = await typed('json [{ "n": "1" }, { "n": "2" }, { "n": "3" }]');
    expect({ code, out }).toEqual({ code: 11, out: "" });
    expect(last).toContain("the answer does not match the schema (3 attempts): n: must be integer");
  });
  it("exits with 11 if checking the answer takes too long, without retrying", async () => {
    const slow = { type: "string", pattern: "^(a+)+$" };
    await writeFile(join(folders.cwd, "slow.json"), JSON.stringify(slow));
    const answers = JSON.stringify([`${"a".repeat(60)}!`, "aaa"]);
    const { code, last, err } = await prompt("--schema", "slow.json", `json ${answers}`);
    expect(code).toBe(11);
    expect(err).not.toContain("attempt 2");
    expect(last).toContain("(1 attempt): checking it against the schema took longer than 500 ms");
  });
  it("takes the number of corrections from --schema-retries", () =>
    expectRefused(typed("--schema-retries", "0", 'json [{}, { "n": 3 }]'), "(1 attempt)", 11));
  it("exits with 11 if the turn stops early, and with 10 if --fail-on says so", async () => {
    const stopped = 'json [{ "stop": "max_tokens" }]';
    expect(await typed(stopped)).toMatchObject({
      code: 11,
      last: "the turn stopped before its answer was complete: max_tokens",
    });
    expect((await typed("--fail-on", "max_tokens", stopped)).code).toBe(10);
  });
  it("puts the answer into the result", async () => {
    const { out } = await typed("-o", "result", 'json [{ "n": 1 }]');
    expect(events(out)).toMatchObject([{ type: "result", ok: true, answer: { n: 1 } }]);
    const all = events((await typed("-o", "events", 'json [{ "n": 1 }]')).out);
    expect(all.at(-1)).toMatchObject({ type: "result", answer: { n: 1 }, text: '{"n":1}' });
  });
  it("fails with the exit code of the turn", async () => {
    expect((await typed("crash")).code).toBe(8);
  });
  it.each([
    [["--schema", "gone.json"], "gone.json: no such schema file"],
    [["--schema", "bad.json"], "--schema bad.json is not valid JSON"],
    [["--schema", "list.json"], "--schema list.json is not a JSON Schema: it must be an object"],
    [["--schema", "odd.json"], "--schema odd.json: the JSON schema cannot be used"],
    [["--schema-retries", "1"], "--schema-retries needs --schema"],
    [["--schema", "schema.json", "--schema-retries", "x"], "is not a whole number"],
  ])("%j is a usage error", (argv, message) => expectRefused(prompt(...argv, "hello"), message));
});

describe("-o result", () => {
  it("prints one JSON object, the result", async () => {
    const { code, out, err } = await prompt("-o", "result", "story");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(events(out)).toEqual([
      {
        v: 1,
        type: "result",
        ok: true,
        exitCode: 0,
        text: "Done.\n",
        stopReason: "end_turn",
        usage: { used: 120, size: 1000, cost: { amount: 0.5, currency: "EUR" } },
        sessionId: "s1",
        denied: [],
        durationMs: expect.any(Number),
        error: null,
      },
    ]);
  });
  it("prints denials and failures on stderr", async () => {
    const { code, out, err } = await prompt("-o", "result", "--strict-permissions", "edit");
    expect(code).toBe(5);
    expect(events(out)).toMatchObject([
      { type: "result", ok: false, error: { kind: "permission" } },
    ]);
    expect(err).toContain("denied: ");
  });
  it.each([["-o", "result"], ["-oresult"], ["--outputmode=result"]])(
    "prints the result of an invalid command line (%s)",
    async (...argv) => {
      const { code, out } = await prompt(...argv, "--frob");
      expect(code).toBe(2);
      expect(events(out)).toMatchObject([{ type: "result", exitCode: 2 }]);
    },
  );
});

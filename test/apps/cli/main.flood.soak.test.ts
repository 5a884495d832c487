// An agent that floods the command. It stays small, with a heap that an unbounded list would exceed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { times } from "../../support/soak.ts";
import { quick, rows } from "../../support/suite.ts";
import { builtBin, foldersForAll } from "./commands/setup.ts";
import { processEnv } from "./support/process.ts";

const AGENT = fileURLToPath(new URL("../../support/agents/flooding.mjs", import.meta.url));
/** Smaller than most floods below: a program that kept everything would end with SIGABRT. */
const HEAP_MB = times(64, 400);
const MAX_RSS_MB = 300;

/**
 * Loaded before the command: writes the most memory that the process ever had. On Linux, the usage of resources
 * would include the process that started it, which has built the command.
 */
const MEASURE = `
import { readFileSync, writeFileSync } from "node:fs";
const kilobytes = () => process.platform === "linux"
  ? Number(/^VmHWM:\\s+(\\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1])
  : process.resourceUsage().maxRSS;
process.on("exit", () => writeFileSync(process.env.MAX_RSS_FILE, String(kilobytes() / 1024)));
`;

const bin = builtBin();
const folders = foldersForAll();
beforeAll(async () => {
  await writeFile(join(folders.home, "measure.mjs"), MEASURE);
}, 60_000);

type Event = Readonly<Record<string, unknown>>;

/** Runs one turn. Of the events, only the small ones of the last kinds are kept. */
async function flood(prompt: string, ...options: readonly string[]) {
  const measured = join(folders.home, "max-rss");
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${HEAP_MB}`,
      `--import=${join(folders.home, "measure.mjs")}`,
      bin.file,
      "--agent-command",
      `node ${AGENT}`,
      "--no-stdin",
      ...options,
      prompt,
    ],
    {
      cwd: folders.cwd,
      env: { ...processEnv(folders), MAX_RSS_FILE: measured },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let bytes = 0;
  let last = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    bytes += text.length;
    const lines = (last + text).split("\n");
    // The newest lines are enough; whole answers would make this process large.
    last = lines.slice(-20).join("\n");
  });
  child.stderr
    .setEncoding("utf8")
    .on("data", (text: string) => (err = (err + text).slice(-10_000)));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  const events = last
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Event);
  const rss = Number(await readFile(measured, "utf8"));
  return { code: code ?? signal, bytes, result: events.at(-1), events, err, rss };
}

describe("the command under a flood", { timeout: 900_000 }, () => {
  const floods: readonly (readonly [string, string, ...string[]])[] = [
    ["requests that are answered at once", `requests unknown ${times(20_000, 400_000)}`],
    [
      "permission requests that are denied",
      `requests session/request_permission ${times(1500, 100_000)} ${times(60_000, 1000)}`,
    ],
    ["requests whose answers the agent never reads", `unread unknown ${times(50_000, 400_000)}`],
    ["small tool calls that complete", `calls ${times(12_000, 1_000_000)} ${times(8000, 500)}`],
    ["large tool calls that complete", `calls ${times(2000, 8000)} 50000`],
    ["tool calls that never end", `open-calls ${times(12_000, 300_000)} ${times(8000, 1000)}`],
  ];
  it.each(rows(floods))("of %s stays small", async (_, prompt) => {
    const { code, result, rss, err } = await flood(prompt, "-o", "events");
    expect({ code, result, err: err.slice(-200) }).toMatchObject({
      code: 0,
      result: { type: "result", ok: true, stopReason: "end_turn" },
    });
    expect(err).not.toContain("Warning");
    expect(rss).toBeLessThan(MAX_RSS_MB);
  });

  it.skipIf(quick)("of text prints all of it, and cuts the text of the result", async () => {
    const megabytes = times(80, 240);
    const { code, bytes, result, rss, err } = await flood(`text ${megabytes}`, "-o", "events");
    expect(code).toBe(0);
    expect(bytes).toBeGreaterThan(megabytes * 1_000_000 + 8_000_000);
    expect(result).toMatchObject({ type: "result", stopReason: "end_turn", truncated: true });
    expect(String(result?.["text"])).toHaveLength(8 * 1024 * 1024);
    expect(err).toBe("");
    expect(rss).toBeLessThan(MAX_RSS_MB);
  });

  it.skipIf(quick)("of text as text stays small too", async () => {
    const { code, bytes, rss } = await flood(`text ${times(80, 240)}`);
    expect([code, bytes]).toEqual([0, times(80, 240) * 1_000_000]);
    expect(rss).toBeLessThan(MAX_RSS_MB);
  });

  it.skipIf(quick)(
    "of requests whose answers are never read ends with the time limit",
    async () => {
      // The answer to an unknown method contains its name.
      const method = "m".repeat(10_000);
      const options = ["-o", "events", "--timeout", `${times(5, 20)}s`];
      const { code, result, rss } = await flood(
        `unread ${method} ${times(50_000, 500_000)}`,
        ...options,
      );
      expect([code, result]).toMatchObject([expect.any(Number), { error: { kind: "timeout" } }]);
      expect(rss).toBeLessThan(MAX_RSS_MB);
    },
  );
});

describe("frames that are nested too deeply", () => {
  const depths = [
    ["events", 1000],
    ["events", 100_000],
    ["events", 2_000_000],
    ["text", 100_000],
    ["jsonl", 100_000],
  ] as const;
  it.each(rows(depths))("do not end the turn with -o %s: %i levels", async (mode, levels) => {
    const { code, events, result, err } = await flood(`deep ${levels}`, "-o", mode);
    expect(code).toBe(0);
    if (mode !== "events") return;
    expect(result).toMatchObject({ ok: true, stopReason: "end_turn" });
    // A request that is too long to be parsed at this depth is only reported.
    expect(result?.["text"]).toBe(`still here, error ${levels < 2_000_000 ? -32600 : "none"}`);
    expect(events.find(({ type }) => type === "note")).toMatchObject({
      text: expect.stringContaining("ignored 3 lines on the agent's stdout") as string,
    });
    expect(err).toBe("");
  });
});

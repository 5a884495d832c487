import { execFileSync } from "node:child_process";
import { chmod, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseRecording, type Recording } from "../../../../src/transport/wire/index.ts";
import { run, withAgent } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";

const folders = foldersForAll();
const recorded = async (file: string): Promise<Recording> =>
  parseRecording(await readFile(join(folders.cwd, file), "utf8"));
const AGENT_FILE: unknown = expect.stringContaining("cli-agent.mjs");

describe("recordings", () => {
  it("contain all protocol messages with times, but no secrets", async () => {
    const settings = {
      agent_servers: {
        own: {
          command: "node",
          args: withAgent()[1]?.split(" ").slice(1),
          env: { SECRET_TOKEN: "hush-hush-hush" },
        },
      },
      mcp_servers: [{ name: "files", command: "/bin/files", env: { KEY: "very-secret-value" } }],
    };
    await writeFile(join(folders.cwd, "s.json"), JSON.stringify(settings));
    const { out } = await run(["--settings", "s.json", "--record", "wire.jsonl", "env"], folders);
    expect(out).toContain("hush-hush-hush");
    const text = await readFile(join(folders.cwd, "wire.jsonl"), "utf8");
    expect(text).not.toContain("hush-hush-hush");
    expect(text).not.toContain("very-secret-value");
    const [header, first] = text
      .split("\n")
      .map((line) => (line === "" ? {} : (JSON.parse(line) as object)));
    expect(header).toMatchObject({ recording: "dragoman", version: 2, redacted: true });
    expect(first).toMatchObject({ ms: 0, direction: "out" });
  });

  it("keep a character whose bytes arrive in two chunks", async () => {
    const { out } = await run([...withAgent(), "--record", "unicode.jsonl", "unicode"], folders);
    expect(out).toBe("é");
    expect(await readFile(join(folders.cwd, "unicode.jsonl"), "utf8")).toContain("é");
  });

  it("name the agent, the client and the folder", async () => {
    await run([...withAgent(), "--record", "named.jsonl", "hello"], folders);
    const { header } = await recorded("named.jsonl");
    expect(header).toMatchObject({
      agent: { name: expect.any(String) as string, command: [expect.any(String), AGENT_FILE] },
      client: { name: "dragoman" },
      cwd: folders.cwd,
    });
  });

  it("have each decision with its reason, after the request that it is about", async () => {
    await run([...withAgent(), "--record", "decided.jsonl", "edit"], folders);
    const { lines, events } = await recorded("decided.jsonl");
    const [decision] = events.filter(({ event }) => event === "permission");
    expect(decision).toMatchObject({ outcome: "denied", by: "default", hint: "--write" });
    const asked = lines.find(({ line }) => line.includes("session/request_permission"));
    expect(decision?.ms).toBeGreaterThanOrEqual(asked?.ms ?? Infinity);
  });

  it("have the agent's stderr and its end", async () => {
    const { code } = await run([...withAgent(), "--record", "died.jsonl", "crash"], folders);
    expect(code).not.toBe(0);
    const { events } = await recorded("died.jsonl");
    expect(events).toMatchObject([
      { event: "stderr", text: "first words\nthe database is gone\n" },
      { event: "exit", code: 3, signal: null },
    ]);
  });

  it.skipIf(process.platform === "win32")(
    "are for the user only, even in a file that exists",
    async () => {
      for (const name of ["new.jsonl", "old.jsonl"]) {
        const path = join(folders.cwd, name);
        if (name === "old.jsonl") await writeFile(path, "old\n").then(() => chmod(path, 0o666));
        expect((await run([...withAgent(), "--record", name, "hello"], folders)).code).toBe(0);
        expect((await stat(path)).mode & 0o777).toBe(0o600);
        expect(await readFile(path, "utf8")).toMatch(/^\{"recording":"dragoman"/);
      }
    },
  );

  it("do not overwrite the file that a link leads to", async () => {
    const target = join(folders.cwd, "precious");
    await writeFile(target, "precious");
    await symlink(target, join(folders.cwd, "linked.jsonl"));
    const { code, last } = await run(
      [...withAgent(), "--record", "linked.jsonl", "hello"],
      folders,
    );
    expect(code).toBe(2);
    expect(last).toContain("could not write --record linked.jsonl: ");
    expect(last).toContain("is a link; name the file that it leads to");
    expect(await readFile(target, "utf8")).toBe("precious");
  });

  it.skipIf(process.platform === "win32")("do not wait for the reader of a pipe", async () => {
    execFileSync("mkfifo", [join(folders.cwd, "pipe")]);
    const { code, last } = await run([...withAgent(), "--record", "pipe", "hello"], folders);
    expect(code).toBe(2);
    expect(last).toMatch(/^could not write --record pipe: .*pipe is a pipe, not a file$/);
  });
});

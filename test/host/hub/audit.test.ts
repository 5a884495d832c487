import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { REDACTED } from "../../../src/base/index.ts";
import { auditLine } from "../../../src/host/hub/audit.ts";
import { type AuditEntry, defaultAuditFile, openAuditLog } from "../../../src/host/hub/index.ts";
import { scratchFolder } from "./rig.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await scratchFolder();
  file = join(folder, "audit.jsonl");
});

/** The sessions of all entries, in order. */
const allSessions = async (): Promise<string[]> => [
  ...(await sessions(join(folder, "audit.1.jsonl"))),
  ...(await sessions(file)),
];

const NOTHING = { paths: [], commands: [], isComplete: true };

function entry(session: string): AuditEntry {
  return {
    agent: "a",
    owner: "me",
    session,
    method: "fs/read_text_file",
    kind: "read",
    targets: NOTHING,
    decision: "allow",
    by: { type: "default" },
  };
}

async function sessions(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line): string => JSON.parse(line).session);
}

const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe("the audit log", () => {
  it("is in the user's state folder, which only the user may enter", async () => {
    const user = { env: { XDG_STATE_HOME: folder }, home: "/h", platform: "linux" } as const;
    const own = defaultAuditFile(user);
    expect(own).toBe(join(folder, "dragoman/audit.jsonl"));
    await (await openAuditLog(own)).close();
    expect(await mode(join(folder, "dragoman"))).toBe(0o700);
  });

  it("is added to, in order, and only the user can read it", async () => {
    await writeFile(file, `${JSON.stringify({ session: "old" })}\n`);
    await chmod(file, 0o644);
    const log = await openAuditLog(file);
    await Promise.all(["1", "2", "3"].map((session) => log.record(entry(session))));
    await log.close();
    expect(await sessions(file)).toEqual(["old", "1", "2", "3"]);
    expect(await mode(file)).toBe(0o600);
  });

  it("starts a new file when it is full, and keeps the one before", async () => {
    const log = await openAuditLog(file, { maxBytes: 1000 });
    for (let i = 1; i <= 12; i++) await log.record(entry(String(i)));
    await log.close();
    expect((await readdir(folder)).toSorted()).toEqual(["audit.1.jsonl", "audit.jsonl"]);
    const kept = await allSessions();
    const all = Array.from({ length: 12 }, (_, index) => String(index + 1));
    expect(kept.length).toBeGreaterThan(4);
    expect(kept).toEqual(all.slice(-kept.length));
    expect((await stat(join(folder, "audit.1.jsonl"))).size).toBeLessThanOrEqual(1000);
    expect(await mode(file)).toBe(0o600);
  });

  it("goes on in the new file that another program started", async () => {
    const one = await openAuditLog(file, { maxBytes: 1000 });
    const two = await openAuditLog(file, { maxBytes: 1000 });
    for (let i = 1; i <= 7; i++) {
      await one.record(entry(`one ${i}`));
      await two.record(entry(`two ${i}`));
    }
    await Promise.all([one.close(), two.close()]);
    const kept = await allSessions();
    const all = Array.from({ length: 7 }, (_, i) => [`one ${i + 1}`, `two ${i + 1}`]).flat();
    expect(kept).toEqual(all.slice(-kept.length));
  });

  it("does not wait for a lock, and removes one that was left behind", async () => {
    await writeFile(`${file}.lock`, "");
    const log = await openAuditLog(file, { maxBytes: 300 });
    for (let i = 1; i <= 3; i++) await log.record(entry(String(i)));
    expect(await sessions(file)).toEqual(["1", "2", "3"]);
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(`${file}.lock`, longAgo, longAgo);
    await log.record(entry("4"));
    await log.record(entry("5"));
    await log.close();
    expect(await sessions(file)).toEqual(["5"]);
    expect(await sessions(join(folder, "audit.1.jsonl"))).toEqual(["1", "2", "3", "4"]);
  });

  it("is refused in place of a link or a folder", async () => {
    await writeFile(join(folder, "target"), "");
    await symlink("target", join(folder, "link.jsonl"));
    await expect(openAuditLog(join(folder, "link.jsonl"))).rejects.toThrow("is a link");
    await mkdir(join(folder, "folder.jsonl"));
    await expect(openAuditLog(join(folder, "folder.jsonl"))).rejects.toThrow("not a regular file");
  });

  it("reports an entry that cannot be written, and never rejects", async () => {
    const errors: unknown[] = [];
    const log = await openAuditLog(file, { onError: (error) => errors.push(error) });
    await rm(file);
    await mkdir(file);
    await log.record(entry("1"));
    expect(errors).toHaveLength(1);
    await rm(file, { recursive: true });
    await log.record(entry("2"));
    await log.close();
    expect(await sessions(file)).toEqual(["2"]);
  });

  it("loses no entry of the newest files if several programs write at once", async () => {
    const names = ["a", "b", "c", "d"];
    const write = async (name: string): Promise<void> => {
      const log = await openAuditLog(file, { maxBytes: 20_000 });
      for (let i = 1; i <= 100; i++) await log.record(entry(`${name} ${i}`));
      await log.close();
    };
    await Promise.all(names.map(write));
    const kept = await allSessions();
    for (const name of names) {
      const own = kept.filter((session) => session.startsWith(name));
      const all = Array.from({ length: 100 }, (_, index) => `${name} ${index + 1}`);
      expect(own).toEqual(all.slice(all.length - own.length));
    }
    expect(kept.length).toBeGreaterThan(90);
  });
});

const TIME = new Date("2026-01-02T03:04:05.678Z");
const path = (text: string, realPath = text) => ({ path: text, realPath, isInside: true });

function line(rest: Partial<AuditEntry> = {}): string {
  return auditLine(
    {
      ...entry("s1"),
      by: { type: "rule", rule: 3, file: "rules.json" },
      ...rest,
    },
    TIME,
  );
}

describe("a line of the audit log", () => {
  it("says when, who, what and why", () => {
    expect(JSON.parse(line())).toEqual({
      time: "2026-01-02T03:04:05.678Z",
      ...entry("s1"),
      targets: {},
      by: { type: "rule", rule: 3, file: "rules.json" },
    });
  });

  it("has the paths, and where they lead", () => {
    const paths = [path("/w/a"), path("/w/link", "/etc/passwd")];
    const { targets } = JSON.parse(line({ targets: { ...NOTHING, paths, isComplete: false } }));
    expect(targets).toEqual({
      paths: ["/w/a", { path: "/w/link", realPath: "/etc/passwd" }],
      more: true,
    });
  });

  it("has the commands and the names of their variables, but no values", () => {
    const cwd = path("/w");
    const commands = [
      { line: undefined, words: ["npm", "test"], cwd, env: { SECRET: "hunter2hunter2" } },
      { line: "npm run build", words: undefined, cwd, env: {} },
    ];
    const text = line({ kind: "execute", targets: { ...NOTHING, commands } });
    expect(JSON.parse(text).targets.commands).toEqual([
      { command: ["npm", "test"], cwd: "/w", variables: ["SECRET"] },
      { line: "npm run build", cwd: "/w" },
    ]);
    expect(text).not.toContain("hunter2");
  });

  it.each([
    { words: ["curl", "--token", "hunter2hunter2", "http://x"], line: undefined },
    { words: ["curl", "-H", "Authorization: Bearer hunter2hunter2"], line: undefined },
    { words: undefined, line: "curl -H 'Authorization: Bearer hunter2hunter2' http://x" },
    { words: ["curl", "https://h/?key=hunter2hunter2&x=1"], line: undefined },
    { words: undefined, line: "curl 'https://h/?api_key=hunter2hunter2&x=1'" },
    { words: undefined, line: "PASSWORD=hunter2hunter2 deploy" },
  ])("has no secrets in %j", (command) => {
    const commands = [{ ...command, cwd: path("/w"), env: {} }];
    const text = line({ targets: { ...NOTHING, commands } });
    expect(text).not.toContain("hunter2");
    expect(text).toContain(REDACTED);
  });

  it("has no part of a secret that is cut off", () => {
    const words = [`${" ".repeat(990)}ghp_${"a1B2".repeat(9)}`];
    const commands = [{ words, line: undefined, cwd: path("/w"), env: {} }];
    expect(line({ targets: { ...NOTHING, commands } })).not.toContain("ghp_a1");
  });

  it("is one line that cannot act on a terminal, however long the request is", () => {
    const name = `/w/\n\u001B[2J\u202E${"x".repeat(100_000)}`;
    const commands = [
      { line: "y".repeat(10_000_000), words: undefined, cwd: path("/w"), env: {} },
      {
        words: Array.from({ length: 10_000 }, () => "z"),
        line: undefined,
        cwd: path("/w"),
        env: {},
      },
    ];
    const text = line({ targets: { paths: [path(name)], commands, isComplete: true } });
    for (const character of "\n\u001B\u202E") expect(text).not.toContain(character);
    expect(text.length).toBeLessThan(10_000);
    expect(JSON.parse(text).targets.paths[0]).toContain("/w/\n\u001B[2J\u202Exxx");
  });
});

// A real agent process behind a hub that has the files, with the client library on the other side.
import { mkdir, readFile, realpath, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { AcpClient, type PermissionRequest, type Session } from "../../../../src/client/index.ts";
import {
  createHub,
  hubPolicy,
  openAuditLog,
  openRoots,
  rootChecker,
} from "../../../../src/host/hub/index.ts";
import { readRules } from "../../../../src/client/rules/index.ts";
import { memoryPair, openProcess } from "../../../../src/transport/wire/index.ts";

const AGENT = fileURLToPath(new URL("../../../support/gate-agent.mjs", import.meta.url));

let top: string;
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "hub-process-")));
  onTestFinished(() => rm(top, { recursive: true, force: true }));
  await mkdir(join(top, "repo"));
  await writeFile(join(top, "repo/a"), "old");
  await writeFile(join(top, "key"), "secret");
  await symlink("../key", join(top, "repo/link"));
});

/** A client of a hub that serves the folder `repo`. It answers every question with yes. */
async function connected(rules: readonly object[]) {
  const asked: PermissionRequest[] = [];
  const file = join(top, "audit.jsonl");
  const audit = await openAuditLog(file);
  const roots = await openRoots([{ name: "repo", folder: join(top, "repo") }]);
  const user = { home: top, platform: process.platform };
  const hub = createHub({
    ...hubPolicy({
      files: "server",
      rules: readRules(JSON.stringify({ version: 1, rules }), "rules.json", user),
      audit,
      env: { HUB_SECRET: undefined },
    }),
    checkOpen: rootChecker(roots),
  });
  const [ours, theirs] = memoryPair();
  hub.serve(ours, {
    agent: {
      name: "gate",
      key: "gate",
      open: () => openProcess({ command: process.execPath, args: [AGENT] }),
    },
    owner: "laptop",
  });
  const client = await AcpClient.start({
    channel: theirs,
    remoteFiles: false,
    permissions: (request) => {
      asked.push(request);
      return "allow";
    },
  });
  onTestFinished(async () => {
    await client.close();
    await hub.close();
    await audit.close();
  });
  const lines = async (): Promise<string[]> => (await readFile(file, "utf8")).trimEnd().split("\n");
  return { client, asked, lines };
}

async function requests(session: Session, list: readonly (readonly [string, object])[]) {
  const text = await session.prompt(JSON.stringify(list)).text();
  const answers: { result?: Record<string, unknown>; error?: { code: number } }[] =
    JSON.parse(text);
  return answers.map(({ result, error }) => error?.code ?? result);
}

test("an agent works on the hub's files under the rules, and the client is asked", async () => {
  process.env["HUB_SECRET"] = "hunter2hunter2";
  onTestFinished(() => void delete process.env["HUB_SECRET"]);
  const { client, asked, lines } = await connected([{ decision: "deny", command: "rm" }]);
  const session = await client.newSession({ cwd: "/repo" });
  const repo = join(top, "repo");
  const script = "echo done ${HUB_SECRET:-no secret} > b";
  expect(
    await requests(session, [
      ["fs/read_text_file", { path: join(repo, "a") }],
      ["fs/read_text_file", { path: join(repo, "link") }],
      ["fs/write_text_file", { path: join(repo, "a"), content: "new" }],
      ["terminal/create", { command: "rm", args: ["-rf", repo] }],
      ["terminal/create", { command: "sh", args: ["-c", script] }],
      ["terminal/wait_for_exit", { terminalId: "$4.terminalId" }],
    ]),
  ).toEqual([
    { content: "old" },
    -32602,
    {},
    -32003,
    { terminalId: expect.any(String) },
    { exitCode: 0, signal: null },
  ]);
  expect(await readFile(join(repo, "a"), "utf8")).toBe("new");
  expect(await readFile(join(repo, "b"), "utf8")).toBe("done no secret\n");
  expect(asked.map(({ kind, targets }) => ({ kind, targets }))).toMatchObject([
    { kind: "edit", targets: { paths: [{ path: join(repo, "a") }] } },
    { kind: "execute", targets: { commands: [{ words: ["sh", "-c", script] }] } },
  ]);
  const decisions = (await lines()).map((line) => JSON.parse(line));
  expect(decisions.map(({ kind, decision, by }) => [kind, decision, by.type])).toEqual([
    ["read", "allow", "default"],
    ["read", "deny", "roots"],
    ["edit", "allow", "client"],
    ["execute", "deny", "rule"],
    ["execute", "allow", "client"],
  ]);
  expect(decisions).toMatchObject(
    Array.from({ length: 5 }, () => ({ agent: "gate", owner: "laptop", session: session.id })),
  );
  expect((await lines()).join("\n")).not.toMatch(/"(?:old|new)"/);
});

test("a session outside the roots is refused, and the error names no folder of the server", async () => {
  const { client } = await connected([]);
  for (const cwd of [top, "/etc", "/nope", join(top, "repo/..")]) {
    const refused: unknown = await client.newSession({ cwd }).catch((error: unknown) => error);
    expect(String(refused)).toContain("cwd is not inside a root of this server");
    expect(JSON.stringify(refused)).not.toContain(top);
  }
});

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { access, constants, mkdir, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { stringField, type JsonObject, booleanField, objectField } from "../../../../base/index.ts";
import { NotApplicable, Unmet } from "../../harness/errors.ts";
import { isError, METHOD_NOT_FOUND, resultOf, shown, type CallReply } from "../../harness/reply.ts";
import { type CheckingAgent, workspaceOf } from "../agent.ts";
import type { ClientCase, ClientCheck } from "../case.ts";
import { playTurn, turnCase, type ScriptedTurn } from "../play-turn.ts";

const run = promisify(execFile);

/** Throws {@link NotApplicable} if the client does not offer files, even if it is made to allow everything. */
function needFiles(check: ClientCheck, half: "read" | "write"): void {
  if (!offeredFiles(check.baseline.allowing)[half])
    throw new NotApplicable(`the client does not offer to ${half} files`);
}

function readFrom(agent: CheckingAgent, path: string, more?: JsonObject): Promise<CallReply> {
  const params = { sessionId: agent.sessionId, path, ...more };
  return agent.call("fs/read_text_file", params, { isInvalid: true });
}

function writeTo(
  agent: CheckingAgent,
  path: string,
  content: string,
  sessionId = agent.sessionId,
): Promise<CallReply> {
  return agent.call("fs/write_text_file", { sessionId, path, content });
}

/** The content of a file that was read; undefined if it was not. */
function contentOf(reply: CallReply): string | undefined {
  return stringField(resultOf(reply), "content");
}

const notOffered: ClientCase = {
  ids: ["DRC-FS-01"],
  run: async (check) => {
    const before = offeredFiles(check.baseline.capabilities);
    const isWhole = before.read && before.write;
    if (isWhole && !check.has("noFs"))
      throw new NotApplicable('the client offers files, and the driver has no entry "noFs"');
    await playTurn(
      check,
      async (agent, { judge }) => {
        const offered = offeredFiles(agent.capabilities);
        if (offered.read && offered.write) throw new Unmet("the client still offers both");
        const path = join(workspaceOf(agent), "check-not-offered.txt");
        const replies = [];
        if (!offered.read) replies.push(await readFrom(agent, join(dirname(path), "there.txt")));
        if (!offered.write) replies.push(await writeTo(agent, path, "x"));
        const isRefused = replies.every((reply) => isError(reply, METHOD_NOT_FOUND));
        const hasEffect = existsSync(path);
        const words = `a write had ${hasEffect ? "an" : "no"} effect`;
        judge("DRC-FS-01", isRefused && !hasEffect, words, replies);
      },
      { drive: isWhole ? ["noFs"] : [], files: { "there.txt": "there\n" } },
    );
  },
};

const EXACT: Readonly<Record<string, string>> = {
  "crlf.txt": "one\r\ntwo\r\n",
  "no-newline.txt": "one\ntwo",
  "empty.txt": "",
  "emoji.txt": "Grüße 👩‍👩‍👧\n日本語\n",
};

const LINES = "l1\nl2\nl3\nl4\n";
const WINDOWS: readonly { readonly window: JsonObject; readonly text: string }[] = [
  { window: { line: 1, limit: 1 }, text: "l1\n" },
  { window: { line: 2, limit: 1 }, text: "l2\n" },
  { window: { line: 1 }, text: LINES },
  { window: { line: 4 }, text: "l4\n" },
  { window: { limit: 2 }, text: "l1\nl2\n" },
  { window: { line: 99 }, text: "" },
];
const BAD_WINDOWS: readonly JsonObject[] = [{ line: 1.5 }, { limit: 0.5 }];

const reading = turnCase(
  {
    ids: ["DRC-FS-02", "DRC-FS-03", "DRC-FS-04", "DRC-FS-06"],
    require: (check) => needFiles(check, "read"),
    prefer: ["allow"],
    files: { ...EXACT, "lines.txt": LINES },
  },
  async (agent, { judge }) => {
    const cwd = workspaceOf(agent);
    for (const [name, text] of Object.entries(EXACT)) {
      const reply = await readFrom(agent, join(cwd, name));
      judge("DRC-FS-02", contentOf(reply) === text, name, reply);
    }
    const lines = (window: JsonObject): Promise<CallReply> =>
      readFrom(agent, join(cwd, "lines.txt"), window);
    for (const { window, text } of WINDOWS) {
      const reply = await lines(window);
      // Both forms are in use: with the newline of the last line, and without.
      const isRight = contentOf(reply)?.replace(/\n$/, "") === text.replace(/\n$/, "");
      judge("DRC-FS-03", isRight, shown(window), reply);
    }
    // The schema allows line 0. Some agents count from 0, so a client may also read it as line 1.
    const zero = await lines({ line: 0 });
    judge("DRC-FS-03", zero.kind === "error" || contentOf(zero) === LINES, "line 0", zero);
    for (const window of BAD_WINDOWS) {
      const reply = await lines(window);
      judge("DRC-FS-03", reply.kind === "error", shown(window), reply);
    }
    const missing = await readFrom(agent, join(cwd, "missing.txt"));
    judge("DRC-FS-04", isError(missing, -32_002), "a missing file", missing);
    for (const name of await prepareUnreadable(cwd)) {
      const reply = await readFrom(agent, join(cwd, name));
      judge("DRC-FS-04", reply.kind === "error", name, reply);
    }
    const relative = await readFrom(agent, "lines.txt");
    judge("DRC-FS-06", relative.kind === "error", "a relative path", relative);
  },
);

/** Makes things in the workspace that are not text files, as far as this system has them. */
async function prepareUnreadable(cwd: string): Promise<readonly string[]> {
  const made: readonly (readonly [name: string, make: (path: string) => Promise<unknown>])[] = [
    ["a-folder", (path) => mkdir(path)],
    ["a-binary-file", (path) => writeFile(path, Buffer.from([0, 0xff, 0xfe, 0x80, 0]))],
    ["a-link-to-itself", (path) => symlink("a-link-to-itself", path)],
    ["a-pipe", (path) => run("mkfifo", [path])],
    ["a-forbidden-file", forbiddenFile],
  ];
  const names: string[] = [];
  for (const [name, make] of made) {
    const isThere = await make(join(cwd, name)).then(
      () => true,
      () => false,
    );
    if (isThere) names.push(name);
  }
  return names;
}

/** Makes a file that this user may not read. Rejects if the user may read everything. */
async function forbiddenFile(path: string): Promise<void> {
  await writeFile(path, "x", { mode: 0 });
  const isReadable = await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
  if (isReadable) throw new Error("this user may read every file");
}

const WRITTEN = "one\r\ntwo 👍\nno newline at the end";

const writing: ClientCase = {
  ids: ["DRC-FS-05", "DRC-FS-08"],
  run: async (check) => {
    needFiles(check, "write");
    const { seen } = await playTurn(
      check,
      async (agent) => {
        const path = join(workspaceOf(agent), "written.txt");
        const reply = await writeTo(agent, path, WRITTEN);
        const content = existsSync(path) ? await readFile(path, "utf8") : undefined;
        const other = join(workspaceOf(agent), "unknown-session.txt");
        const foreign = await writeTo(agent, other, WRITTEN, "unknown-session");
        return { reply, content, foreign, hasForeign: existsSync(other) };
      },
      { prefer: ["allow"] },
    );
    const { reply, content, foreign, hasForeign } = seen;
    if (reply.kind === "error" && !check.has("allow")) {
      check.skip("DRC-FS-05", 'the client denied the write, and the driver has no entry "allow"');
    } else {
      const isKept = reply.kind !== "error" && content === WRITTEN;
      check.judge("DRC-FS-05", isKept, `the file has ${shown(content)}`, reply);
    }
    const isRefused = foreign.kind === "error" && !hasForeign;
    if (isRefused && check.has("deny")) await judgeDenied(check);
    check.judge("DRC-FS-08", isRefused, "for an unknown session", foreign);
  },
};

async function judgeDenied(check: ClientCheck): Promise<void> {
  const work = async (agent: CheckingAgent, { judge }: ScriptedTurn): Promise<void> => {
    const path = join(workspaceOf(agent), "denied.txt");
    const reply = await writeTo(agent, path, "x");
    judge("DRC-FS-08", !existsSync(path), "a denied write", reply);
  };
  await playTurn(check, work, { drive: ["deny"] });
}

const SECRET = "secret-outside-of-the-workspace";
const INTRUDER = "intruder";

/** Ways out of the workspace are closed. */
const outside = turnCase(
  {
    ids: ["DRC-FS-07"],
    require: ({ baseline }) => {
      const { read, write } = offeredFiles(baseline.allowing);
      if (!read && !write) throw new NotApplicable("the client does not offer files");
    },
    prefer: ["allow"],
  },
  async (agent, { judge, check }) => {
    const offered = offeredFiles(check.baseline.allowing);
    const { secret, tries } = await prepareOutside(workspaceOf(agent));
    for (const { what, path, created, isDevice } of tries) {
      if (offered.read) {
        const reply = await readFrom(agent, path);
        const isLeaked = isDevice
          ? reply.kind === "result"
          : contentOf(reply)?.includes(SECRET) === true;
        const isAnswered = reply.kind === "result" || reply.kind === "error";
        judge("DRC-FS-07", isAnswered && !isLeaked, `reading ${what}`, reply);
      }
      if (!offered.write || (!isDevice && created === undefined)) continue;
      const reply = await writeTo(agent, path, INTRUDER);
      const isWritten =
        created === undefined
          ? reply.kind !== "error"
          : existsSync(created) && (await readFile(created, "utf8")) === INTRUDER;
      judge("DRC-FS-07", !isWritten, `writing ${what}`, reply);
      await writeFile(secret, SECRET);
    }
  },
);

interface WayOut {
  readonly what: string;
  readonly path: string;
  /** The file outside that a write would change. */
  readonly created?: string | undefined;
  /** Whether it is a device, which has no content to know it by. */
  readonly isDevice?: boolean | undefined;
}

/** Makes ways out of a workspace: all lead to folders next to it, which belong to the run. */
async function prepareOutside(cwd: string): Promise<{ secret: string; tries: readonly WayOut[] }> {
  const out = await mkdtemp(join(dirname(cwd), "outside-"));
  const sibling = await mkdtemp(`${cwd}-sibling-`);
  const links = await mkdtemp(join(cwd, "links-"));
  const secret = join(out, "secret.txt");
  const cousin = join(sibling, "secret.txt");
  const dangling = join(out, "dangling.txt");
  await writeFile(secret, SECRET);
  await writeFile(cousin, SECRET);
  await symlink(secret, join(links, "link.txt"));
  await symlink(out, join(links, "linked"));
  await symlink(dangling, join(links, "dangling"));
  const tries: WayOut[] = [
    { what: "a path with ..", path: `${cwd}/../${basename(out)}/secret.txt`, created: secret },
    { what: "another absolute path", path: secret, created: secret },
    { what: "a sibling whose name begins like the workspace's", path: cousin, created: cousin },
    { what: "a link to a file", path: join(links, "link.txt"), created: secret },
    {
      what: "a new file in a linked folder",
      path: join(links, "linked", "new.txt"),
      created: join(out, "new.txt"),
    },
    { what: "a link that leads nowhere", path: join(links, "dangling"), created: dangling },
  ];
  // Nothing can be read from this device, so that a client that opens it comes to no harm.
  if (existsSync("/dev/null")) {
    await symlink("/dev/null", join(links, "device"));
    tries.push(
      { what: "a device", path: "/dev/null", isDevice: true },
      { what: "a link to a device", path: join(links, "device"), isDevice: true },
    );
  }
  return { secret, tries };
}

export const FILE_CASES: readonly ClientCase[] = [notOffered, reading, writing, outside];

/** Which files the client offers to read and write. */
export function offeredFiles(capabilities: JsonObject): { read: boolean; write: boolean } {
  const fs = objectField(capabilities, "fs") ?? {};
  return {
    read: booleanField(fs, "readTextFile") ?? false,
    write: booleanField(fs, "writeTextFile") ?? false,
  };
}

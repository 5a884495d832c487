import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { access, constants, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { stringField, type JsonObject } from "../../../../base/index.ts";
import type { CheckingAgent } from "../agent.ts";
import type { ClientCase, ClientCheck } from "../case.ts";
import {
  codeOf,
  describeResponse,
  exchangeOf,
  offeredFiles,
  playTurn,
  resultOf,
  settled,
} from "../observe.ts";

const run = promisify(execFile);

/** Skips if the client does not offer files. */
function needsFiles(check: ClientCheck, id: string, half: "read" | "write"): boolean {
  if (offeredFiles(check.baseline.allowing)[half]) return true;
  check.skip(id, `the client does not offer to ${half} files`);
  return false;
}

/** With the driver's arguments that allow everything, if it has them. */
export function allowing(check: ClientCheck): { drive: readonly "allow"[] } {
  return { drive: check.has("allow") ? ["allow"] : [] };
}

/** The workspace of a session, as the client named it. */
export function workspaceOf(agent: CheckingAgent): string {
  const [opened] = [...agent.calls("session/new"), ...agent.calls("session/load")];
  const params = opened?.json?.["params"];
  return typeof params === "object" && params !== null && "cwd" in params
    ? String(params.cwd)
    : agent.folder;
}

const notOffered: ClientCase = {
  ids: ["DRC-FS-01"],
  run: async (check) => {
    const id = "DRC-FS-01";
    const offered = offeredFiles(check.baseline.capabilities);
    const isWhole = offered.read && offered.write;
    if (isWhole && !check.has("noFs"))
      return check.skip(id, 'the client offers files, and the driver has no entry "noFs"');
    const played = await playTurn(
      check,
      async (agent) => {
        const now = offeredFiles(agent.capabilities);
        const { sessionId } = agent;
        const path = join(workspaceOf(agent), "check-not-offered.txt");
        const read = now.read
          ? undefined
          : await settled(
              agent.ask("fs/read_text_file", {
                sessionId,
                path: join(workspaceOf(agent), "there.txt"),
              }),
            );
        const write = now.write
          ? undefined
          : await settled(agent.ask("fs/write_text_file", { sessionId, path, content: "x" }));
        return { now, read, write, hasEffect: existsSync(path) };
      },
      { drive: isWhole ? ["noFs"] : [], files: { "there.txt": "there\n" } },
    );
    const { seen } = played;
    if (!seen) return check.untested(id, played.problem);
    if (seen.now.read && seen.now.write) return check.untested(id, "the client still offers both");
    const answers = [seen.now.read ? [] : [seen.read], seen.now.write ? [] : [seen.write]].flat();
    const expected =
      "a method that the client does not offer is answered with -32601, and has no effect";
    const wrong = answers.find((answer) => !answer || codeOf(answer) !== -32_601);
    if (seen.hasEffect) check.fail(id, expected, "the file was written");
    else if (answers.includes(undefined)) check.fail(id, expected, "there was no answer");
    else if (wrong) check.fail(id, expected, describeResponse(wrong));
    else check.pass(id, `${answers.length} methods were answered with -32601`);
  },
};

const EXACT: Readonly<Record<string, string>> = {
  "crlf.txt": "one\r\ntwo\r\n",
  "no-newline.txt": "one\ntwo",
  "empty.txt": "",
  "emoji.txt": "Grüße 👩‍👩‍👧\n日本語\n",
};

const reading: ClientCase = {
  ids: ["DRC-FS-02", "DRC-FS-03", "DRC-FS-04", "DRC-FS-06"],
  run: async (check) => {
    if (!reading.ids.map((id) => needsFiles(check, id, "read")).every(Boolean)) return;
    const lines = "l1\nl2\nl3\nl4\n";
    const played = await playTurn(
      check,
      async (agent) => {
        const { sessionId } = agent;
        const cwd = workspaceOf(agent);
        const read = (name: string, window: JsonObject = {}): Promise<JsonObject | undefined> =>
          settled(
            agent.requestOdd("fs/read_text_file", { sessionId, path: join(cwd, name), ...window })
              .response,
          );
        const exact = [];
        for (const name of Object.keys(EXACT)) exact.push({ name, answer: await read(name) });
        const windows = [];
        for (const one of WINDOWS)
          windows.push({ ...one, answer: await read("lines.txt", one.window) });
        const zero = await read("lines.txt", { line: 0 });
        const invalid = [];
        for (const window of BAD_WINDOWS)
          invalid.push({ window, answer: await read("lines.txt", window) });
        const missing = await read("missing.txt");
        const odd = [];
        for (const name of await prepareUnreadable(cwd))
          odd.push({ name, answer: await read(name) });
        const relative = await settled(
          agent.requestOdd("fs/read_text_file", { sessionId, path: "lines.txt" }).response,
        );
        return { exact, windows, zero, invalid, missing, odd, relative };
      },
      { ...allowing(check), files: { ...EXACT, "lines.txt": lines } },
    );
    const { seen, agent } = played;
    if (!seen) {
      for (const id of reading.ids) check.untested(id, played.problem);
      return;
    }
    judgeExact(check, agent, seen.exact);
    // Both forms are in use: with the newline of the last line, and without.
    const bare = (text: string | undefined): string | undefined => text?.replace(/\n$/, "");
    const wrong = seen.windows.find(({ answer, text }) => bare(contentOf(answer)) !== bare(text));
    // The schema allows line 0. Some agents count from 0, so a client may also read it as line 1.
    const isZeroRight = contentOf(seen.zero) === lines || (seen.zero && "error" in seen.zero);
    const taken = seen.invalid.find(({ answer }) => !answer || !("error" in answer));
    if (wrong) {
      const { window, text, answer } = wrong;
      check.fail(
        "DRC-FS-03",
        `${JSON.stringify(window)} of four lines is ${JSON.stringify(text)}`,
        shown(answer),
        exchangeOf(agent, answer),
      );
    } else if (!isZeroRight) {
      const frames = exchangeOf(agent, seen.zero);
      check.fail("DRC-FS-03", "line 0 is refused, or read as line 1", shown(seen.zero), frames);
    } else if (taken) {
      const { window, answer } = taken;
      const frames = exchangeOf(agent, answer);
      check.fail("DRC-FS-03", `${JSON.stringify(window)} is refused`, shown(answer), frames);
    } else
      check.pass(
        "DRC-FS-03",
        `${WINDOWS.length} windows were right, and ${BAD_WINDOWS.length} were refused`,
      );
    const silent = seen.odd.find(({ answer }) => !answer || !("error" in answer));
    if (!seen.missing || codeOf(seen.missing) !== -32_002) {
      const frames = exchangeOf(agent, seen.missing);
      check.fail(
        "DRC-FS-04",
        "a missing file is answered with -32002",
        shown(seen.missing),
        frames,
      );
    } else if (silent)
      check.fail(
        "DRC-FS-04",
        `reading ${silent.name} is an error, in bounded time`,
        shown(silent.answer),
        exchangeOf(agent, silent.answer),
      );
    else
      check.pass(
        "DRC-FS-04",
        `a missing file got -32002; ${seen.odd.map(({ name }) => name).join(", ")} got errors`,
      );
    if (seen.relative && "error" in seen.relative)
      check.pass("DRC-FS-06", describeResponse(seen.relative));
    else {
      const frames = exchangeOf(agent, seen.relative);
      check.fail("DRC-FS-06", "a relative path is refused", shown(seen.relative), frames);
    }
  },
};

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

function judgeExact(
  check: ClientCheck,
  agent: CheckingAgent | undefined,
  exact: readonly { name: string; answer: JsonObject | undefined }[],
): void {
  const wrong = exact.find(({ name, answer }) => contentOf(answer) !== EXACT[name]);
  if (!wrong) return check.pass("DRC-FS-02", `${exact.length} files were read exactly`);
  check.fail(
    "DRC-FS-02",
    `the content of ${wrong.name} is ${JSON.stringify(EXACT[wrong.name])}`,
    shown(wrong.answer),
    exchangeOf(agent, wrong.answer),
  );
}

const WINDOWS: readonly { readonly window: JsonObject; readonly text: string }[] = [
  { window: { line: 1, limit: 1 }, text: "l1\n" },
  { window: { line: 2, limit: 1 }, text: "l2\n" },
  { window: { line: 1 }, text: "l1\nl2\nl3\nl4\n" },
  { window: { line: 4 }, text: "l4\n" },
  { window: { limit: 2 }, text: "l1\nl2\n" },
  { window: { line: 99 }, text: "" },
];
const BAD_WINDOWS: readonly JsonObject[] = [{ line: 1.5 }, { limit: 0.5 }];

/** The content of a file that was read; undefined if it was not. */
export function contentOf(answer: JsonObject | undefined): string | undefined {
  return answer && stringField(resultOf(answer) ?? {}, "content");
}

function shown(answer: JsonObject | undefined): string {
  return answer ? describeResponse(answer) : "no answer in time";
}

const WRITTEN = "one\r\ntwo 👍\nno newline at the end";

const writing: ClientCase = {
  ids: ["DRC-FS-05", "DRC-FS-08"],
  run: async (check) => {
    if (!writing.ids.map((id) => needsFiles(check, id, "write")).every(Boolean)) return;
    const allowed = await playTurn(
      check,
      async (agent) => {
        const path = join(workspaceOf(agent), "written.txt");
        const write = (sessionId: string, file: string): Promise<JsonObject | undefined> =>
          settled(agent.ask("fs/write_text_file", { sessionId, path: file, content: WRITTEN }));
        const answer = await write(agent.sessionId, path);
        const content = existsSync(path) ? await readFile(path, "utf8") : undefined;
        const other = join(workspaceOf(agent), "unknown-session.txt");
        const foreign = await write("unknown-session", other);
        return { answer, content, foreign, hasForeign: existsSync(other) };
      },
      allowing(check),
    );
    const { seen } = allowed;
    if (!seen) {
      for (const id of writing.ids) check.untested(id, allowed.problem);
      return;
    }
    const isRefused = seen.answer !== undefined && "error" in seen.answer;
    if (seen.content === WRITTEN && !isRefused)
      check.pass("DRC-FS-05", "the file has exactly what was written");
    else if (isRefused && !check.has("allow")) {
      check.skip("DRC-FS-05", 'the client denied the write, and the driver has no entry "allow"');
    } else
      check.fail("DRC-FS-05", "the file is created with exactly this content", shown(seen.answer));
    if (!seen.foreign || !("error" in seen.foreign) || seen.hasForeign) {
      return check.fail(
        "DRC-FS-08",
        "a write for an unknown session is refused",
        shown(seen.foreign),
      );
    }
    if (!check.has("deny"))
      return check.pass("DRC-FS-08", "a write for an unknown session was refused");
    const denied = await playTurn(
      check,
      async (agent) => {
        const path = join(workspaceOf(agent), "denied.txt");
        const { sessionId } = agent;
        const answer = await settled(
          agent.ask("fs/write_text_file", { sessionId, path, content: "x" }),
        );
        return { answer, exists: existsSync(path) };
      },
      { drive: ["deny"] },
    );
    if (!denied.seen) check.untested("DRC-FS-08", denied.problem);
    else if (denied.seen.exists)
      check.fail("DRC-FS-08", "a denied write leaves no file", shown(denied.seen.answer));
    else check.pass("DRC-FS-08", "an unknown session and a denied write left no file");
  },
};

export const FILE_CASES: readonly ClientCase[] = [notOffered, reading, writing];

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describeReply, isAnswered } from "../../../harness/reply.ts";
import { type AgentCheck, evidence } from "../../agent-check.ts";
import type { AgentCase } from "../../case.ts";
import { MISSING } from "../client/files.ts";
import { callsOf } from "../facts.ts";
import { modelCase } from "../model-case.ts";
import { MissingPrompt, Stage, type StageSession } from "../stage.ts";

/** The offers of a client, and the methods that it does not offer. */
const OFFERS = [
  { what: "nothing", fs: undefined, forbidden: ["fs/read_text_file", "fs/write_text_file"] },
  {
    what: "only reading",
    fs: { readTextFile: true, writeTextFile: false },
    forbidden: ["fs/write_text_file"],
  },
  {
    what: "only writing",
    fs: { readTextFile: false, writeTextFile: true },
    forbidden: ["fs/read_text_file"],
  },
] as const;

const notOffered: AgentCase = {
  name: "files/not-offered",
  ids: ["ACP-CLIENTCAP-001"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    for (const { what, fs, forbidden } of OFFERS) {
      const stage = await Stage.open(check, { capabilities: fs === undefined ? {} : { fs } });
      const session = await stage.session({ "known.txt": "known\n" });
      const used = await useFiles(stage, session);
      const wrong = stage.link.requests.find(({ method }) =>
        forbidden.some((name) => name === method),
      );
      if (wrong)
        check.fail("ACP-CLIENTCAP-001", {
          expected: `no ${wrong.method} to a client that offers ${what}`,
          actual: `${wrong.method} was called`,
          frames: evidence(stage.link, wrong.n),
        });
      else if (used > 0) check.pass("ACP-CLIENTCAP-001", `offered ${what}: ${used} tool call(s)`);
      await stage.link.transport.end();
    }
  },
};

/** Makes the agent read and write a file. Returns how many tool calls it showed. */
async function useFiles(stage: Stage, session: StageSession): Promise<number> {
  const acts = [
    { tool: "read", path: join(session.cwd, "known.txt") },
    { tool: "write", path: join(session.cwd, "made.txt"), content: "made\n" },
  ] as const;
  let calls = 0;
  for (const act of acts) {
    if (!stage.canDo(act)) continue;
    const turn = await stage.turn(session, { acts: [act] });
    calls += callsOf(stage.link, session.id, turn.n).length;
  }
  return calls;
}

const ON_DISK = "the text on the disk\n";
const UNSAVED = "the unsaved text of the editor\n";
/** Line ends of both kinds, no newline at the end, and characters of four bytes. */
const EXACT = "first line\r\nsecond 🚀 line\nlast without newline";

const exact = modelCase({
  name: "files/contents",
  ids: ["DRA-FS-02"],
  process: "fresh",
  run: async (check) => {
    const stage = await Stage.open(check);
    const model = stage.needModel();
    const session = await stage.session({ "open.txt": ON_DISK });
    const path = join(session.cwd, "open.txt");
    stage.files.unsaved.set(path, UNSAVED);
    const before = model.calls.length;
    const read = await stage.turn(session, { acts: [{ tool: "read", path }] });
    const seen = JSON.stringify(model.calls.slice(before).map(({ body }) => body));
    if (stage.files.reads.includes(path))
      check.judge(
        "DRA-FS-02",
        seen.includes("unsaved text of the editor"),
        "read the unsaved text",
        {
          expected: "the client's text of the file in the request to the model",
          actual: seen.includes("text on the disk") ? "the text on the disk" : "neither text",
          frames: evidence(stage.link, read.n, read.end),
        },
      );
    const made = join(session.cwd, "exact.txt");
    const write = await stage.turn(session, {
      acts: [{ tool: "write", path: made, content: EXACT }],
    });
    const written = stage.files.writes.find((one) => one.path === made);
    if (!written && stage.files.reads.length === 0) {
      check.untested("DRA-FS-02", "the agent does not use the client's files");
      return;
    }
    if (written)
      check.judge("DRA-FS-02", written.content === EXACT, "wrote the exact text", {
        expected: `the content ${JSON.stringify(EXACT)}`,
        actual: `the content ${JSON.stringify(written.content)}`,
        frames: evidence(stage.link, write.n, write.end),
      });
  },
});

const errors: AgentCase = {
  name: "files/errors",
  ids: ["DRA-FS-03"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    stage.files.missing = MISSING;
    await judgeCreate(check, stage);
    await judgeError(check, stage, "fs/read_text_file");
    await judgeError(check, stage, "fs/write_text_file");
    if (!stage.link.requests.some(({ method }) => method.startsWith("fs/")))
      check.untested("DRA-FS-03", "the agent does not use the client's files");
  },
};

/** A file that does not exist can be created, although the client answers -32002 when it is read. */
async function judgeCreate(check: AgentCheck, stage: Stage): Promise<void> {
  const session = await stage.session();
  const path = join(session.cwd, "new.txt");
  const acts = [{ tool: "write", path, content: "new\n" }] as const;
  if (!stage.canDo(acts[0])) throw new MissingPrompt('needs the prompt "write"');
  const turn = await stage.turn(session, { acts });
  const fs = stage.link.requests.filter((one) => one.n > turn.n && one.method.startsWith("fs/"));
  if (fs.length === 0) return;
  const text = await readFile(path, "utf8").catch(() => undefined);
  check.judge("DRA-FS-03", text?.includes("new") === true, "created a file that was missing", {
    expected: "a new file, although the client answers -32002 for it before",
    actual: text === undefined ? "no file" : `the text ${JSON.stringify(text)}`,
    frames: evidence(stage.link, ...fs.map(({ n }) => n), turn.end),
  });
}

/** An error of the client fails the tool, not the turn. */
async function judgeError(check: AgentCheck, stage: Stage, method: string): Promise<void> {
  const session = await stage.session({ "known.txt": "known\n" });
  const path = join(session.cwd, "known.txt");
  const act =
    method === "fs/read_text_file"
      ? ({ tool: "read", path } as const)
      : ({ tool: "write", path: join(session.cwd, "refused.txt"), content: "x\n" } as const);
  if (!stage.canDo(act)) return;
  stage.intercept = (request) =>
    request.method === method
      ? { error: { code: -32603, message: "the disk is broken" } }
      : undefined;
  const turn = await stage.turn(session, { acts: [act] });
  stage.intercept = undefined;
  const asked = stage.requests(method, turn.n);
  if (asked.length === 0) return;
  check.judge("DRA-FS-03", turn.end.kind === "result", `${method}: the turn went on`, {
    expected: `the turn to go on after an error of ${method}`,
    actual: describeReply(turn.end),
    frames: evidence(stage.link, ...asked.map(({ n }) => n), turn.end),
  });
  if (!isAnswered(turn.end)) stage.cancel(session);
}

export const fileCases: readonly AgentCase[] = [notOffered, exact, errors];

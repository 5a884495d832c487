import { isJsonObject } from "../../../../base/index.ts";
import type { LinkFrame, SubjectLink } from "../../harness/link.ts";
import { isAnswered } from "../../harness/reply.ts";
import { CHECKER_INFO } from "../agent-check.ts";
import { type AgentCase, agentCase, linkCase } from "../case.ts";

/** The first start writes settings and may greet; the second finds them. */
const firstBytes = agentCase("framing/first-bytes", ["DRA-FRAME-01"], async (check) => {
  for (const home of ["an empty home", "the same home again"]) {
    const link = await check.start();
    await check.initialize(link);
    await link.barrier();
    const lines = link.received();
    const noise = lines.find(({ message }) => message.kind === "none");
    const words =
      noise?.message.kind === "none"
        ? `a line that ${noise.message.problem}`
        : `${lines.length} lines, all messages`;
    check.judge("DRA-FRAME-01", !noise, home, words, noise);
    await link.transport.end();
  }
});

/** A name with characters of two, three and four bytes, so that single bytes are never whole. */
const WIDE_INFO = { ...CHECKER_INFO, name: "dragoman-chéck-✓-😀" };

const pieces = agentCase("framing/pieces", ["DRA-FRAME-02"], async (check) => {
  const link = await check.start();
  const params =
    check.run.protocol === 1
      ? { protocolVersion: 1, clientCapabilities: {}, clientInfo: WIDE_INFO }
      : { protocolVersion: 2, capabilities: {}, info: WIDE_INFO };
  const line = lineOf("bytes", "initialize", params);
  const after = link.frames.length;
  await link.sendRaw("", line);
  for (const byte of Buffer.from(`${line}\n`)) {
    await link.transport.write(Uint8Array.of(byte));
    await new Promise(setImmediate);
  }
  const first = await link.reply("bytes", { after });
  check.judge("DRA-FRAME-02", first.kind === "result", "initialize, byte by byte", first);
  const ids = ["one", "two"];
  const two = ids.map((id) => lineOf(id, "_dragoman/pair", {}));
  const sent = await link.sendRaw(`${two.join("\n")}\n`);
  const replies = await Promise.all(ids.map((id) => link.reply(id, sent)));
  check.judge("DRA-FRAME-02", replies.every(isAnswered), "two requests in one write", replies);
});

function lineOf(id: string, method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/** Bytes around a request that agents should tolerate. */
const LINE_ENDS = [
  { what: "after blank lines", before: "\n\n", end: "\n" },
  { what: "with a carriage return before the newline", before: "", end: "\r\n" },
];

const lineEnds = linkCase("framing/line-ends", ["DRA-FRAME-03"], async (check, link) => {
  for (const { what, before, end } of LINE_ENDS) {
    const id = `line-${link.frames.length}`;
    const line = lineOf(id, "_dragoman/line", {});
    const sent = await link.sendRaw(`${before}${line}${end}`, line);
    const reply = await link.reply(id, sent);
    const frames = complaints(link, sent.after);
    check.judge("DRA-FRAME-03", isAnswered(reply), `a request ${what}`, reply, frames);
  }
});

/** Errors without an id, which agents send about lines that they cannot read. */
function complaints(link: SubjectLink, after: number): readonly LinkFrame[] {
  return link
    .received(after)
    .filter(({ value }) => isJsonObject(value) && value["id"] === null && "error" in value);
}

const DEPTH = 10_000;
const UTF8_BREAK = Buffer.from(
  '{"jsonrpc":"2.0","method":"_dragoman/x","params":{"a":"\u00e9"}}\n',
  "latin1",
);

/** Lines that programs stumble over. They are notifications or not messages, so nothing has to answer. */
const GARBAGE: readonly { readonly what: string; readonly bytes: string | Uint8Array }[] = [
  { what: "NUL bytes", bytes: "\0\0\0\n" },
  { what: "bytes that are not UTF-8", bytes: UTF8_BREAK },
  { what: "half a message", bytes: '{"jsonrpc":"2.0","method":"_drago\n' },
  {
    what: `a nesting of ${DEPTH} levels`,
    bytes: `{"jsonrpc":"2.0","method":"_dragoman/x","params":{"a":${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}}}\n`,
  },
  {
    what: "the number 1e400",
    bytes: '{"jsonrpc":"2.0","method":"_dragoman/x","params":{"n":1e400}}\n',
  },
  {
    what: "half of a surrogate pair",
    bytes: String.raw`{"jsonrpc":"2.0","method":"_dragoman/x","params":{"t":"\ud83d"}}` + "\n",
  },
  {
    what: "a key twice",
    bytes: '{"jsonrpc":"2.0","method":"_dragoman/x","params":{"a":1},"params":{"a":2}}\n',
  },
];

const garbage = agentCase("robustness/garbage", ["DRA-ROB-01"], async (check) => {
  let link: SubjectLink | undefined;
  for (const { what, bytes } of GARBAGE) {
    if (!link || link.end) ({ link } = await check.open({}));
    const { frames } = await link.sendRaw(bytes, `(${what})`);
    const next = await link.request("_dragoman/next", {});
    check.judge("DRA-ROB-01", isAnswered(next), `a request after ${what}`, frames, next);
    if (!isAnswered(next)) return;
  }
});

const KIB = 1024;
const SIZES = [
  { size: "100 KiB", bytes: 100 * KIB },
  { size: "8 MiB", bytes: 8 * KIB * KIB },
  { size: "40 MiB", bytes: 40 * KIB * KIB },
];
/** Agents may send a long prompt to the model, and store it. */
const LONG_FACTOR = 4;
const LONG_FLOOR_MS = 60_000;

const sizes = agentCase("robustness/sizes", ["DRA-ROB-02"], async (check) => {
  for (const { size, bytes } of SIZES) {
    const { link } = await check.open({});
    const sessionId = await check.session(link);
    const prompt = [{ type: "text", text: `Hello ${"x".repeat(bytes)}` }];
    const limitMs = Math.max(LONG_FLOOR_MS, LONG_FACTOR * check.pace.turnMs);
    const { n, reply } = link.begin("session/prompt", { sessionId, prompt }, { limitMs });
    const answer = await reply;
    // An agent that cannot read a line cannot know its id.
    const isKept = isAnswered(answer) || complaints(link, n).length > 0;
    check.judge("DRA-ROB-02", isKept, `a prompt of ${size}`, answer);
    await link.transport.end();
    if (!isKept) return;
  }
});

const MANY = 100;

const flood = linkCase("robustness/requests", ["DRA-ROB-03"], async (check, link) => {
  const started = Array.from({ length: MANY }, () => link.begin("_dragoman/many", {}));
  const replies = await Promise.all(started.map(({ reply }) => reply));
  const count = replies.filter(isAnswered).length;
  const words = `${count} answers to ${MANY} requests`;
  check.judge("DRA-ROB-03", count === MANY, words, link.end && `the agent ${link.end.how}`);
});

export const framingCases: readonly AgentCase[] = [firstBytes, pieces, lineEnds];
export const robustnessCases: readonly AgentCase[] = [garbage, sizes, flood];

import { asObject, isJsonObject } from "../../../../base/index.ts";
import { wireIdKey } from "../../../../trace/index.ts";
import { messageProblem } from "../../../index.ts";
import { EVERYTHING, reject } from "../../harness/client-answers.ts";
import type { LinkFrame, SubjectLink } from "../../harness/link.ts";
import {
  describeReply,
  INVALID_PARAMS,
  isAnswered,
  isError,
  METHOD_NOT_FOUND,
  shown,
} from "../../harness/reply.ts";
import { type AgentCheck, CHECKER_INFO } from "../agent-check.ts";
import { Stage } from "../stage/stage.ts";
import { type AgentCase, agentCase, linkCase, sharedCase, traffic } from "../case.ts";

/** The first start writes settings and may greet; the second finds them. */
const firstBytes = agentCase("framing/first-bytes", async (check) => {
  for (const home of ["an empty home", "the same home again"]) {
    const link = await check.start();
    await check.initialize(link);
    await link.barrier();
    const lines = link.received();
    const noise = lines.find(({ message, skipped }) => message.kind === "none" || skipped !== "");
    const words = (noise && messageProblem(noise)) ?? `${lines.length} lines, all messages`;
    check.judge("DRA-FRAME-01", !noise, home, words, noise);
    await link.transport.end();
  }
});

/** A name with characters of two, three and four bytes, so that single bytes are never whole. */
const WIDE_INFO = { ...CHECKER_INFO, name: "dragoman-chéck-✓-😀" };

const pieces = agentCase("framing/pieces", async (check) => {
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

const lineEnds = linkCase("framing/line-ends", async (check, link) => {
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

const garbage = agentCase("robustness/garbage", async (check) => {
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

const sizes = agentCase("robustness/sizes", async (check) => {
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

const REQUESTS = 100;

const flood = linkCase("robustness/requests", async (check, link) => {
  const started = Array.from({ length: REQUESTS }, () => link.begin("_dragoman/many", {}));
  const replies = await Promise.all(started.map(({ reply }) => reply));
  const count = replies.filter(isAnswered).length;
  const words = `${count} answers to ${REQUESTS} requests`;
  check.judge("DRA-ROB-03", count === REQUESTS, words, link.end && `the agent ${link.end.how}`);
});

const IDS = [0, 7, -1, "a", "7"] as const;

const ids = linkCase("json-rpc/ids", async (check, link) => {
  for (const id of IDS) {
    const { n, reply } = link.begin("_dragoman/id", {}, { id });
    const answer = await reply;
    const other = responses(link, n).find(
      ({ message }) => "id" in message && wireIdKey(message.id) !== wireIdKey(id),
    );
    if (!isAnswered(answer) && !other) continue;
    check.judge("ACP-JSONRPC-001", isAnswered(answer), `id ${shown(id)}`, answer, other);
  }
});

function responses(link: SubjectLink, after: number): readonly LinkFrame[] {
  return link
    .received(after)
    .filter(({ message }) => message.kind === "result" || message.kind === "error");
}

/** The reaction of an agent to lines that nothing has to answer. */
interface Reaction {
  /** Whether it answers the next request. */
  readonly isAlive: boolean;
  /** Its responses that no request of ours asked for. */
  readonly answers: readonly LinkFrame[];
  readonly codes: readonly unknown[];
  readonly words: string;
}

async function reactionTo(link: SubjectLink, after: number): Promise<Reaction> {
  const isAlive = await link.barrier();
  const answers = responses(link, after).filter(
    ({ message }) => !("id" in message) || !wasAsked(link, message.id),
  );
  const codes = answers.map(({ message }) =>
    message.kind === "error" ? asObject(message.error)?.["code"] : undefined,
  );
  const replies = answers.length === 0 ? "no reply" : `replies ${codes.map(shown).join(", ")}`;
  const end = link.end ? `the agent ${link.end.how}` : "the agent answers nothing anymore";
  return { isAlive, answers, codes, words: `${replies}, ${isAlive ? "goes on" : end}` };
}

function wasAsked(link: SubjectLink, id: unknown): boolean {
  const key = wireIdKey(id);
  return link.frames.some(
    ({ direction, message }) =>
      direction === "out" && message.kind === "request" && wireIdKey(message.id) === key,
  );
}

const NOTIFICATIONS: readonly (readonly [what: string, method: string, params: unknown])[] = [
  ["a cancel of an unknown session", "session/cancel", { sessionId: "dragoman-unknown" }],
  ["an unknown one with an underscore", "_dragoman/notice", {}],
  ["an unknown one of the protocol level", "$/dragoman", {}],
  ["an unknown one", "dragoman/notice", {}],
  ["a cancel with invalid params", "session/cancel", [7]],
];

const notifications = linkCase("json-rpc/notifications", async (check, link) => {
  for (const [what, method, params] of NOTIFICATIONS) {
    const frame = link.notify(method, params, true);
    const { isAlive, answers, words } = await reactionTo(link, frame.n);
    check.judge("ACP-JSONRPC-003", answers.length === 0, what, words, frame, answers);
    if (method !== "session/cancel") check.judge("DRA-EXT-01", isAlive, what, words, frame);
  }
});

const unknown = linkCase("json-rpc/unknown-methods", async (check, link) => {
  for (const method of ["dragoman/unknown", "session/dragoman_unknown"]) {
    const reply = await link.request(method, {}, { isInvalid: true });
    check.judge("ACP-JSONRPC-004", isError(reply, METHOD_NOT_FOUND), method, reply);
  }
  const custom = await link.request("_dragoman/unknown", {});
  check.judge("ACP-EXT-001", isAnswered(custom), custom);
  const bad = await link.request("session/new", { cwd: 7 }, { isInvalid: true });
  const next = await link.request("_dragoman/next", {});
  check.judge("ACP-JSONRPC-005", isAnswered(next), `after ${describeReply(bad)}`, next);
});

const arrays = linkCase("json-rpc/arrays", async (check, link) => {
  for (const line of ["[]", '[{"jsonrpc":"2.0","method":"_dragoman/batch"}]']) {
    const { after, frames } = await link.sendRaw(`${line}\n`);
    const { isAlive, answers, codes, words } = await reactionTo(link, after);
    const isRefused = codes.every((code) => code === -32600);
    check.judge("DRA-RPC-04", isAlive && isRefused, line, words, frames, answers);
    if (!isAlive) return;
  }
});

const STRAYS = [
  { jsonrpc: "2.0", id: "dragoman-never", result: {} },
  { jsonrpc: "2.0", id: null, error: { code: -32700, message: "parse error" } },
];

const strays = linkCase("json-rpc/strays", async (check, link) => {
  for (const response of STRAYS) {
    const { after, frames } = await link.sendRaw(`${JSON.stringify(response)}\n`);
    const { isAlive, answers, words } = await reactionTo(link, after);
    const isKept = isAlive && answers.length === 0;
    check.judge("DRA-RPC-05", isKept, `id ${shown(response.id)}`, words, frames, answers);
    if (!isAlive) return;
  }
});

/** Lines for the record: the protocol does not say how an agent replies to them. */
const RECORDED: readonly { readonly id: string; readonly lines: readonly string[] }[] = [
  { id: "ACP-INFO-PARSE-001", lines: ['{"jsonrpc":"2.0",', "this is not JSON"] },
  { id: "ACP-INFO-INVALIDREQ-001", lines: ['{"dragoman":1}', "7", '"text"'] },
];

const recorded = agentCase("json-rpc/bad-lines", async (check) => {
  for (const { id, lines } of RECORDED) {
    const { link } = await check.open({});
    for (const line of lines) {
      const { after, frames } = await link.sendRaw(`${line}\n`);
      const { answers, words } = await reactionTo(link, after);
      check.pass(id, line, words, frames, answers);
    }
  }
});

/** Params that are absent, incomplete or of a wrong type, by method. */
function badParams(check: AgentCheck, sessionId: string): ReadonlyMap<string, readonly unknown[]> {
  const session = check.run.facts().session ?? {};
  const can = (name: string): boolean => check.advertises(`sessionCapabilities.${name}`);
  const forms = new Map<string, readonly unknown[]>([
    ["session/new", [undefined, {}, { cwd: 7, mcpServers: [] }]],
    ["session/prompt", [undefined, {}, { sessionId, prompt: "text" }]],
  ]);
  if (check.advertises("loadSession"))
    forms.set("session/load", [{}, { sessionId, cwd: 7, mcpServers: [] }]);
  if (can("list")) forms.set("session/list", [{ cwd: 7 }]);
  for (const name of ["resume", "close", "delete"].filter(can))
    forms.set(`session/${name}`, [undefined, {}, { sessionId: 7 }]);
  if (session["modes"]) forms.set("session/set_mode", [{}, { sessionId, modeId: 7 }]);
  if (session["configOptions"])
    forms.set("session/set_config_option", [{}, { sessionId, configId: 7, value: "x" }]);
  return forms;
}

const params = linkCase("json-rpc/params", async (check, link) => {
  const sessionId = await check.session(link);
  for (const [method, forms] of badParams(check, sessionId)) {
    for (const form of forms) {
      const reply = await link.request(method, form, { isInvalid: true });
      const what = `${method} with ${form === undefined ? "no params" : shown(form)}`;
      check.judge("DRA-RPC-03", isError(reply, INVALID_PARAMS), what, reply);
      if (!isAnswered(reply)) return;
    }
  }
});

const extra = sharedCase("schema/unknown-fields", async (check, link) => {
  await check.session(link);
  const known = { cwd: await check.workspace(), mcpServers: [] };
  const odd = { ...known, dragomanUnknown: { deep: [1] } };
  const reply = await link.request("session/new", odd, { isInvalid: true });
  check.judge("DRA-EXT-04", reply.kind === "result", "session/new with an unknown field", reply);
});

const TRACE = { traceparent: "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01" };

const meta = linkCase("schema/meta", async (check, link) => {
  const sessionId = await check.session(link);
  const prompt = [{ type: "text", text: "Hello" }];
  const limitMs = check.pace.turnMs;
  const traced = { sessionId, prompt, _meta: TRACE };
  const reply = await link.request("session/prompt", traced, { limitMs });
  const plain = reply.kind === "result" ? reply : await check.prompt(link, sessionId, "Hello");
  if (plain.kind !== "result")
    check.untested("ACP-META-001", `no prompt works: ${describeReply(plain)}`);
  else check.judge("ACP-META-001", reply.kind === "result", reply);
});

/** Ordinary traffic, which passive judges need. */
const conversation = agentCase("conversation", async (check) => {
  for (const capabilities of [{}, EVERYTHING]) {
    const stage = await Stage.open(check, { capabilities });
    stage.permission = reject;
    const sessionId = await check.session(stage.link);
    await check.prompt(stage.link, sessionId, "Hello");
    await stage.link.request("_dragoman/unknown", {});
    await stage.link.barrier();
  }
});

export const rpcCases: readonly AgentCase[] = [
  ids,
  notifications,
  unknown,
  arrays,
  strays,
  recorded,
];
export const paramsCases: readonly AgentCase[] = [params, extra, meta, traffic(conversation)];
export const framingCases: readonly AgentCase[] = [firstBytes, pieces, lineEnds];
export const robustnessCases: readonly AgentCase[] = [garbage, sizes, flood];

import { idKey } from "../../../../trace/index.ts";
import { asObject } from "../../../../base/index.ts";
import { EVERYTHING, pretend } from "../../harness/incoming.ts";
import type { LinkFrame, SubjectLink } from "../../harness/link.ts";
import {
  describeReply,
  INVALID_PARAMS,
  isAnswered,
  isError,
  METHOD_NOT_FOUND,
  shown,
} from "../../harness/reply.ts";
import type { AgentCheck } from "../agent-check.ts";
import { type AgentCase, agentCase, linkCase, sharedCase, traffic } from "../case.ts";

const IDS = [0, 7, -1, "a", "7"] as const;

const ids = linkCase("json-rpc/ids", ["ACP-JSONRPC-001"], async (check, link) => {
  for (const id of IDS) {
    const { n, reply } = link.begin("_dragoman/id", {}, { id });
    const answer = await reply;
    const other = responses(link, n).find(
      ({ message }) => "id" in message && idKey(message.id) !== idKey(id),
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
  /** The codes of these responses. */
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
  const key = idKey(id);
  return link.frames.some(
    ({ direction, message }) =>
      direction === "out" && message.kind === "request" && idKey(message.id) === key,
  );
}

/** Notifications that nothing may answer. */
const NOTIFICATIONS: readonly (readonly [what: string, method: string, params: unknown])[] = [
  ["a cancel of an unknown session", "session/cancel", { sessionId: "dragoman-unknown" }],
  ["an unknown one with an underscore", "_dragoman/notice", {}],
  ["an unknown one of the protocol level", "$/dragoman", {}],
  ["an unknown one", "dragoman/notice", {}],
  ["a cancel with invalid params", "session/cancel", [7]],
];

const notifications = linkCase(
  "json-rpc/notifications",
  ["ACP-JSONRPC-003", "DRA-EXT-01"],
  async (check, link) => {
    for (const [what, method, params] of NOTIFICATIONS) {
      const frame = link.notify(method, params, true);
      const { isAlive, answers, words } = await reactionTo(link, frame.n);
      check.judge("ACP-JSONRPC-003", answers.length === 0, what, words, frame, answers);
      if (method !== "session/cancel") check.judge("DRA-EXT-01", isAlive, what, words, frame);
    }
  },
);

const unknown = linkCase(
  "json-rpc/unknown-methods",
  ["ACP-JSONRPC-004", "ACP-EXT-001", "ACP-JSONRPC-005"],
  async (check, link) => {
    for (const method of ["dragoman/unknown", "session/dragoman_unknown"]) {
      const reply = await link.request(method, {}, { isInvalid: true });
      check.judge("ACP-JSONRPC-004", isError(reply, METHOD_NOT_FOUND), method, reply);
    }
    const custom = await link.request("_dragoman/unknown", {});
    check.judge("ACP-EXT-001", isAnswered(custom), custom);
    const bad = await link.request("session/new", { cwd: 7 }, { isInvalid: true });
    const next = await link.request("_dragoman/next", {});
    check.judge("ACP-JSONRPC-005", isAnswered(next), `after ${describeReply(bad)}`, next);
  },
);

const arrays = linkCase("json-rpc/arrays", ["DRA-RPC-04"], async (check, link) => {
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

const strays = linkCase("json-rpc/strays", ["DRA-RPC-05"], async (check, link) => {
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

const recorded = agentCase(
  "json-rpc/bad-lines",
  RECORDED.map(({ id }) => id),
  async (check) => {
    for (const { id, lines } of RECORDED) {
      const { link } = await check.open({});
      for (const line of lines) {
        const { after, frames } = await link.sendRaw(`${line}\n`);
        const { answers, words } = await reactionTo(link, after);
        check.pass(id, line, words, frames, answers);
      }
    }
  },
);

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

const params = linkCase("json-rpc/params", ["DRA-RPC-03"], async (check, link) => {
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

const extra = sharedCase("schema/unknown-fields", ["DRA-EXT-04"], async (check, link) => {
  await check.session(link);
  const known = { cwd: await check.workspace(), mcpServers: [] };
  const odd = { ...known, dragomanUnknown: { deep: [1] } };
  const reply = await link.request("session/new", odd, { isInvalid: true });
  check.judge("DRA-EXT-04", reply.kind === "result", "session/new with an unknown field", reply);
});

const TRACE = { traceparent: "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01" };

const meta = linkCase("schema/meta", ["ACP-META-001"], async (check, link) => {
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
const conversation = agentCase("conversation", [], async (check) => {
  for (const capabilities of [{}, EVERYTHING]) {
    const { link } = await check.open({ capabilities });
    if (capabilities === EVERYTHING) link.handle("*", pretend);
    const sessionId = await check.session(link);
    await check.prompt(link, sessionId, "Hello");
    await link.request("_dragoman/unknown", {});
    await link.barrier();
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

import type { SubjectLink } from "../../harness/link.ts";
import { describeReply, isAnswered } from "../../harness/reply.ts";
import { evidence } from "../agent-check.ts";
import type { AgentCase } from "../case.ts";

const DEPTH = 10_000;
const UTF8_BREAK = Buffer.from(
  '{"jsonrpc":"2.0","method":"_dragoman/x","params":{"a":"\u00e9"}}\n',
  "latin1",
);

/** Lines that programs stumble over. They are notifications or not messages, so nothing has to answer. */
const GARBAGE: readonly { readonly name: string; readonly bytes: string | Uint8Array }[] = [
  { name: "NUL bytes", bytes: "\0\0\0\n" },
  { name: "bytes that are not UTF-8", bytes: UTF8_BREAK },
  { name: "half a message", bytes: '{"jsonrpc":"2.0","method":"_drago\n' },
  {
    name: `a nesting of ${DEPTH} levels`,
    bytes: `{"jsonrpc":"2.0","method":"_dragoman/x","params":{"a":${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}}}\n`,
  },
  {
    name: "the number 1e400",
    bytes: '{"jsonrpc":"2.0","method":"_dragoman/x","params":{"n":1e400}}\n',
  },
  {
    name: "half of a surrogate pair",
    bytes: String.raw`{"jsonrpc":"2.0","method":"_dragoman/x","params":{"t":"\ud83d"}}` + "\n",
  },
  {
    name: "a key twice",
    bytes: '{"jsonrpc":"2.0","method":"_dragoman/x","params":{"a":1},"params":{"a":2}}\n',
  },
];

const garbage: AgentCase = {
  name: "robustness/garbage",
  ids: ["DRA-ROB-01"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    let link: SubjectLink | undefined;
    for (const { name, bytes } of GARBAGE) {
      if (!link || link.end) ({ link } = await check.open({}));
      const after = await link.sendRaw(bytes, `(${name})`);
      const next = await link.request("_dragoman/next", {});
      check.judge("DRA-ROB-01", isAnswered(next), name, {
        expected: `a response to the request after ${name}`,
        actual: describeReply(next),
        frames: [...evidence(link, after + 1), ...evidence(link, next)],
      });
      if (!isAnswered(next)) return;
    }
  },
};

const KIB = 1024;
const SIZES: readonly { readonly name: string; readonly bytes: number }[] = [
  { name: "100 KiB", bytes: 100 * KIB },
  { name: "8 MiB", bytes: 8 * KIB * KIB },
  { name: "40 MiB", bytes: 40 * KIB * KIB },
];
/** Agents may send a long prompt to the model, and store it. */
const LONG_FACTOR = 4;
const LONG_FLOOR_MS = 60_000;

const sizes: AgentCase = {
  name: "robustness/sizes",
  ids: ["DRA-ROB-02"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    for (const { name, bytes } of SIZES) {
      const { link } = await check.open({});
      const sessionId = await check.session(link);
      const { n, reply } = link.begin(
        "session/prompt",
        { sessionId, prompt: [{ type: "text", text: `Hello ${"x".repeat(bytes)}` }] },
        { limitMs: Math.max(LONG_FLOOR_MS, LONG_FACTOR * check.pace.turnMs) },
      );
      const answer = await reply;
      // An agent that cannot read a line cannot know its id.
      const complaint = link
        .received(n)
        .find(({ message }) => message.kind === "error" && message.id === null);
      const isKept = isAnswered(answer) || complaint !== undefined;
      check.judge("DRA-ROB-02", isKept, `${name}: ${answer.kind}`, {
        expected: `a result or an error for a prompt of ${name}`,
        actual: describeReply(answer),
      });
      await link.transport.end();
      if (!isKept) return;
    }
  },
};

const MANY = 100;

const flood: AgentCase = {
  name: "robustness/requests",
  ids: ["DRA-ROB-03"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({});
    const started = Array.from({ length: MANY }, () => link.begin("_dragoman/many", {}));
    const replies = await Promise.all(started.map(({ reply }) => reply));
    const count = replies.filter(isAnswered).length;
    check.judge("DRA-ROB-03", count === MANY, `${count} answers`, {
      expected: `${MANY} answers to ${MANY} requests`,
      actual: `${count} answers${link.end ? `; the agent ${link.end.how}` : ""}`,
    });
  },
};

export const robustnessCases: readonly AgentCase[] = [garbage, sizes, flood];

import type { JsonObject } from "../../../wire/index.ts";
import { idKey } from "../../../conformance/index.ts";
import type { SubjectLink, LinkFrame } from "../../harness/link.ts";
import {
  describeReply,
  isAnswered,
  METHOD_NOT_FOUND,
  type CallReply,
  shown,
} from "../../harness/reply.ts";
import { type AgentCheck, evidence } from "../agent-check.ts";
import type { AgentCase } from "../case.ts";

const IDS = [0, 7, -1, "a", "7"] as const;

const ids: AgentCase = {
  name: "json-rpc/ids",
  ids: ["ACP-JSONRPC-001"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({});
    for (const id of IDS) {
      const { n, reply } = link.begin("_dragoman/id", {}, { id });
      const answer = await reply;
      const other = responses(link, n).find(
        ({ message }) => "id" in message && idKey(message.id) !== idKey(id),
      );
      if (!isAnswered(answer) && !other) continue;
      check.judge("ACP-JSONRPC-001", isAnswered(answer), `id ${shown(id)}`, {
        expected: `a response with the id ${shown(id)}`,
        actual: other && "id" in other.message ? `the id ${shown(other.message.id)}` : "none",
        frames: other ? [...evidence(link, n), other] : evidence(link, answer),
      });
    }
  },
};

function responses(link: SubjectLink, after: number): readonly LinkFrame[] {
  return link
    .received(after)
    .filter(({ message }) => message.kind === "result" || message.kind === "error");
}

/** Notifications that nothing may answer. */
const NOTIFICATIONS: readonly {
  readonly name: string;
  readonly method: string;
  readonly params: unknown;
}[] = [
  {
    name: "a cancel of an unknown session",
    method: "session/cancel",
    params: { sessionId: "dragoman-unknown" },
  },
  { name: "an unknown one with an underscore", method: "_dragoman/notice", params: {} },
  { name: "an unknown one of the protocol level", method: "$/dragoman", params: {} },
  { name: "an unknown one", method: "dragoman/notice", params: {} },
  { name: "a cancel with invalid params", method: "session/cancel", params: [7] },
];

const notifications: AgentCase = {
  name: "json-rpc/notifications",
  ids: ["ACP-JSONRPC-003", "DRA-EXT-01"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({});
    for (const { name, method, params } of NOTIFICATIONS) {
      const n = link.notify(method, params, true);
      const isAlive = await link.barrier();
      // The barrier has a number as its id; a response to the notification has none of ours.
      const answers = responses(link, n).filter(
        ({ message }) => !("id" in message) || !wasAsked(link, message.id),
      );
      check.judge("ACP-JSONRPC-003", answers.length === 0, `${name}: no response`, {
        expected: `no response to ${name}`,
        actual: `${answers.length} responses`,
        frames: [...evidence(link, n), ...answers],
      });
      if (method === "session/cancel") continue;
      check.judge("DRA-EXT-01", isAlive, `${name}: ignored`, {
        expected: `the agent ignores ${name} and answers the next request`,
        actual: link.end ? `the agent ${link.end.how}` : "the next request got no response",
        frames: evidence(link, n),
      });
    }
  },
};

function wasAsked(link: SubjectLink, id: unknown): boolean {
  const key = idKey(id);
  return link.frames.some(
    ({ direction, message }) =>
      direction === "out" && message.kind === "request" && idKey(message.id) === key,
  );
}

const unknown: AgentCase = {
  name: "json-rpc/unknown-methods",
  ids: ["ACP-JSONRPC-004", "ACP-EXT-001", "ACP-JSONRPC-005"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({});
    for (const method of ["dragoman/unknown", "session/dragoman_unknown"]) {
      const reply = await link.request(method, {}, { isInvalid: true });
      const isKept = reply.kind === "error" && reply.code === METHOD_NOT_FOUND;
      check.judge("ACP-JSONRPC-004", isKept, `${method}: -32601`, {
        expected: `error -32601 for ${method}`,
        actual: describeReply(reply),
        frames: evidence(link, reply),
      });
    }
    const custom = await link.request("_dragoman/unknown", {});
    check.judge("ACP-EXT-001", isAnswered(custom), describeReply(custom), {
      expected: "a response to _dragoman/unknown",
      actual: describeReply(custom),
      frames: evidence(link, custom),
    });
    const bad = await link.request("session/new", { cwd: 7 }, { isInvalid: true });
    await judgeUsable(check, "ACP-JSONRPC-005", link, bad);
  },
};

async function judgeUsable(
  check: AgentCheck,
  id: string,
  link: SubjectLink,
  bad: CallReply,
): Promise<void> {
  const next = await link.request("_dragoman/next", {});
  check.judge(id, isAnswered(next), `after ${describeReply(bad)}: answered`, {
    expected: "a response to the request after a bad one",
    actual: describeReply(next),
    frames: [...evidence(link, bad), ...evidence(link, next)],
  });
}

const arrays: AgentCase = {
  name: "json-rpc/arrays",
  ids: ["DRA-RPC-04"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({});
    for (const line of ["[]", '[{"jsonrpc":"2.0","method":"_dragoman/batch"}]']) {
      const after = await link.sendRaw(`${line}\n`);
      const isAlive = await link.barrier();
      const answers = responses(link, after).filter(
        ({ message }) => !("id" in message) || !wasAsked(link, message.id),
      );
      const isRefused = answers.every(({ message }) => codeOf(message) === -32600);
      check.judge("DRA-RPC-04", isAlive && isRefused, `${line}: ${answers.length} errors -32600`, {
        expected: "the array is ignored or answered with error -32600",
        actual: isAlive ? `another answer to ${line}` : describeEnd(link),
        frames: [...evidence(link, after + 1), ...answers],
      });
      if (!isAlive) return;
    }
  },
};

function codeOf(message: LinkFrame["message"]): unknown {
  return message.kind === "error" && isRecord(message.error) ? message.error["code"] : undefined;
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null;
}

function describeEnd(link: SubjectLink): string {
  return link.end ? `the agent ${link.end.how}` : "the agent answers nothing anymore";
}

const strays: AgentCase = {
  name: "json-rpc/strays",
  ids: ["DRA-RPC-05"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({});
    const responsesToNothing = [
      { jsonrpc: "2.0", id: "dragoman-never", result: {} },
      { jsonrpc: "2.0", id: null, error: { code: -32700, message: "parse error" } },
    ];
    for (const response of responsesToNothing) {
      const after = await link.sendRaw(`${JSON.stringify(response)}\n`);
      const isAlive = await link.barrier();
      const answers = responses(link, after).filter(
        ({ message }) => !("id" in message) || !wasAsked(link, message.id),
      );
      const isKept = isAlive && answers.length === 0;
      check.judge("DRA-RPC-05", isKept, `id ${shown(response.id)}: ignored`, {
        expected: `a response with the id ${shown(response.id)} is ignored`,
        actual: isAlive ? "the agent answers it" : describeEnd(link),
        frames: [...evidence(link, after + 1), ...answers],
      });
      if (!isAlive) return;
    }
  },
};

/** Lines for the record: the protocol does not say how an agent replies to them. */
const RECORDED: readonly { readonly id: string; readonly lines: readonly string[] }[] = [
  { id: "ACP-INFO-PARSE-001", lines: ['{"jsonrpc":"2.0",', "this is not JSON"] },
  { id: "ACP-INFO-INVALIDREQ-001", lines: ['{"dragoman":1}', "7", '"text"'] },
];

const recorded: AgentCase = {
  name: "json-rpc/bad-lines",
  ids: RECORDED.map(({ id }) => id),
  process: "fresh",
  needs: "none",
  run: async (check) => {
    for (const { id, lines } of RECORDED) {
      const { link } = await check.open({});
      for (const line of lines) {
        const after = await link.sendRaw(`${line}\n`);
        const isAlive = await link.barrier();
        const answers = responses(link, after).filter(
          ({ message }) => !("id" in message) || !wasAsked(link, message.id),
        );
        const codes = answers.map(({ message }) => shown(codeOf(message))).join(", ");
        const words = `${line}: ${codes || "no reply"}, ${isAlive ? "goes on" : describeEnd(link)}`;
        check.pass(id, words, [...evidence(link, after + 1), ...answers]);
      }
    }
  },
};

export const rpcCases: readonly AgentCase[] = [
  ids,
  notifications,
  unknown,
  arrays,
  strays,
  recorded,
];

import { isJsonObject, type JsonObject, stringField } from "../../../wire/index.ts";
import type { SubjectLink } from "../../harness/link.ts";
import {
  type CallReply,
  describeReply,
  isAnswered,
  METHOD_NOT_FOUND,
  shown,
} from "../../harness/reply.ts";
import { type AgentCheck, CHECKER_INFO, evidence } from "../agent-check.ts";
import { hasCapability } from "../capabilities.ts";
import type { AgentCase } from "../case.ts";

/** The highest version that the schema can express; no agent speaks it. */
const FUTURE_VERSION = 65535;

/** Negotiation of the version, each in a process of its own. */
const versions: AgentCase = {
  name: "initialize/versions",
  ids: ["ACP-INIT-001", "ACP-INIT-002", "ACP-INIT-003", "DRA-INIT-01", "ACP-INIT-004"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const link = await check.start();
    const first = await check.initialize(link);
    const frames = evidence(link, first);
    const result = first.kind === "result" && isJsonObject(first.result) ? first.result : undefined;
    const version = result?.["protocolVersion"];
    check.judge("ACP-INIT-001", Number.isInteger(version), `answered ${shown(version)}`, {
      expected: "a result with an integer protocolVersion",
      actual: describeReply(first),
      frames,
    });
    if (!result) return;
    check.judge("ACP-INIT-002", version === 1, "asked for 1, answered 1", {
      expected: "protocolVersion 1",
      actual: `protocolVersion ${shown(version)}`,
      frames,
    });
    judgeInfo(check, result["agentInfo"], frames);
    await judgeFuture(check, typeof version === "number" ? version : 1);
    await judgePast(check);
  },
};

function judgeInfo(check: AgentCheck, info: unknown, frames: ReturnType<typeof evidence>): void {
  const fields = isJsonObject(info) ? info : {};
  const isComplete =
    Boolean(stringField(fields, "name")) && Boolean(stringField(fields, "version"));
  check.judge("ACP-INIT-004", isComplete, shown(info), {
    expected: "agentInfo with a name and a version",
    actual: `agentInfo ${shown(info)}`,
    frames,
  });
}

async function judgeFuture(check: AgentCheck, ownVersion: number): Promise<void> {
  const { link, reply } = await asked(check, FUTURE_VERSION);
  const version = answeredVersion(reply);
  const isKept = version !== undefined && version !== FUTURE_VERSION && version >= ownVersion;
  check.judge("ACP-INIT-003", isKept, `asked for 65535, answered ${version}`, {
    expected: "a result with the latest version that the agent speaks",
    actual: describeReply(reply),
    frames: evidence(link, reply),
  });
}

async function judgePast(check: AgentCheck): Promise<void> {
  const { link, reply } = await asked(check, 0);
  const version = answeredVersion(reply);
  const isKept = version !== undefined && version > 0;
  check.judge("DRA-INIT-01", isKept, `asked for 0, answered ${version}`, {
    expected: "a result with the latest version that the agent speaks",
    actual: describeReply(reply),
    frames: evidence(link, reply),
  });
}

async function asked(
  check: AgentCheck,
  protocolVersion: number,
): Promise<{ readonly link: SubjectLink; readonly reply: CallReply }> {
  const link = await check.start();
  // Agents that speak several versions choose by the version, and need the fields of each.
  const reply = await link.request("initialize", {
    protocolVersion,
    clientCapabilities: {},
    clientInfo: CHECKER_INFO,
    capabilities: {},
    info: CHECKER_INFO,
  });
  return { link, reply };
}

function answeredVersion(reply: CallReply): number | undefined {
  if (reply.kind !== "result" || !isJsonObject(reply.result)) return undefined;
  const version = reply.result["protocolVersion"];
  return typeof version === "number" && Number.isInteger(version) ? version : undefined;
}

/** The forms of "nothing offered". */
const OFFERS: readonly {
  readonly name: string;
  readonly params: JsonObject;
  readonly isInvalid?: true;
}[] = [
  { name: "omitted", params: {} },
  { name: "null", params: { clientCapabilities: null }, isInvalid: true },
  { name: "{}", params: { clientCapabilities: {} } },
  {
    name: "unknown keys",
    params: { clientCapabilities: { "dragoman.unknown": { deep: [1] } } },
    isInvalid: true,
  },
];

const offers: AgentCase = {
  name: "initialize/offers",
  ids: ["DRA-INIT-02", "DRA-INIT-05"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    for (const { name, params, isInvalid } of OFFERS) {
      const link = await check.start();
      const reply = await link.request(
        "initialize",
        { protocolVersion: 1, clientInfo: CHECKER_INFO, ...params },
        { isInvalid },
      );
      const frames = evidence(link, reply);
      if (name === "{}") {
        check.judge("DRA-INIT-05", reply.kind === "result", "answered in an empty home, offline", {
          expected: "a result, without network, credentials or files in the home",
          actual: describeReply(reply),
          frames,
        });
      }
      // The schema does not allow null, so an agent that checks its input may refuse it.
      const isKept = name === "null" ? isAnswered(reply) : reply.kind === "result";
      check.judge("DRA-INIT-02", isKept, `clientCapabilities ${name}: ${describeReply(reply)}`, {
        expected: `initialize ${name === "null" ? "is answered" : "succeeds"} with clientCapabilities ${name}`,
        actual: describeReply(reply),
        frames,
      });
      await link.transport.end();
    }
  },
};

/** Methods behind a capability, with params that fit any session. */
const GATED: readonly {
  readonly method: string;
  readonly capability: string;
  readonly params: (sessionId: string, cwd: string) => JsonObject;
}[] = [
  {
    method: "session/load",
    capability: "loadSession",
    params: (sessionId, cwd) => ({ sessionId, cwd, mcpServers: [] }),
  },
  {
    method: "session/resume",
    capability: "sessionCapabilities.resume",
    params: (sessionId, cwd) => ({ sessionId, cwd }),
  },
  { method: "session/list", capability: "sessionCapabilities.list", params: () => ({}) },
  {
    method: "session/close",
    capability: "sessionCapabilities.close",
    params: (sessionId) => ({ sessionId }),
  },
  {
    method: "session/delete",
    capability: "sessionCapabilities.delete",
    params: (sessionId) => ({ sessionId }),
  },
];

/** Methods that are only called if they are not advertised, because they change something otherwise. */
const DESTRUCTIVE: typeof GATED = [
  { method: "logout", capability: "auth.logout", params: () => ({}) },
  {
    method: "session/fork",
    capability: "sessionCapabilities.fork",
    params: (sessionId, cwd) => ({ sessionId, cwd, mcpServers: [] }),
  },
];

const gates: AgentCase = {
  name: "initialize/gates",
  ids: ["DRA-INIT-03", "DRA-INIT-04"],
  process: "shared",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open();
    const unoffered = DESTRUCTIVE.filter(
      ({ capability }) => !hasCapability(check.capabilities, capability),
    );
    for (const { method, capability, params } of [...GATED, ...unoffered]) {
      const cwd = await check.workspace();
      const isOffered = hasCapability(check.capabilities, capability);
      // The params must not make the difference, so the session exists.
      const sessionId = await check.session(link, cwd);
      const reply = await link.request(method, params(sessionId, cwd));
      const isUnknown = reply.kind === "error" && reply.code === METHOD_NOT_FOUND;
      const frames = evidence(link, reply);
      if (isOffered) {
        check.judge("DRA-INIT-04", !isUnknown, `${method} exists`, {
          expected: `${method} exists, because ${capability} is advertised`,
          actual: describeReply(reply),
          frames,
        });
      } else {
        check.judge("DRA-INIT-03", isUnknown, `${method}: -32601`, {
          expected: `error -32601 for ${method}, because ${capability} is not advertised`,
          actual: describeReply(reply),
          frames,
        });
      }
    }
  },
};

const order: AgentCase = {
  name: "initialize/order",
  ids: ["DRA-INIT-06"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const early = await check.start();
    const before = await early.request("session/new", {
      cwd: await check.workspace(),
      mcpServers: [],
    });
    const { link } = await check.open({});
    const again = await check.initialize(link);
    const first = link.frames.find(({ direction }) => direction === "in");
    const ms = Math.round((first?.time ?? 0) - (link.frames[0]?.time ?? 0));
    check.pass(
      "DRA-INIT-06",
      `a request before initialize: ${describeReply(before)}; initialize again: ${again.kind}; first answer after ${ms} ms`,
      [...evidence(early, before), ...evidence(link, again)],
    );
  },
};

export const initializeCases: readonly AgentCase[] = [versions, offers, gates, order];

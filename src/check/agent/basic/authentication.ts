import { isJsonObject, isStringList, type JsonObject } from "../../../wire/index.ts";
import { AUTH_REQUIRED, describeReply, type CallReply, shown } from "../../harness/reply.ts";
import type { SubjectLink } from "../../harness/link.ts";
import { type AgentCheck, evidence } from "../agent-check.ts";
import type { AgentCase } from "../case.ts";

/** Judges that ids differ, and that no terminal method is offered. Version 2 has other names. */
export function judgeMethods(
  check: AgentCheck,
  [uniqueId, terminalId]: readonly [string, string],
  methods: readonly JsonObject[],
  frames: ReturnType<typeof evidence>,
): void {
  const ids = methods.map(({ id, methodId }) => methodId ?? id);
  check.judge(uniqueId, new Set(ids).size === ids.length, `ids ${shown(ids)}`, {
    expected: "ids that differ",
    actual: `ids ${shown(ids)}`,
    frames,
  });
  const terminal = methods.find(({ type }) => type === "terminal");
  check.judge(terminalId, !terminal, `${methods.length} methods, none of a terminal`, {
    expected: "no terminal method, because the client does not offer auth.terminal",
    actual: `the method ${shown(terminal)}`,
    frames,
  });
}

/** The authentication methods of the result of `initialize`. */
export function methodsIn(reply: CallReply): readonly JsonObject[] {
  const result = reply.kind === "result" && isJsonObject(reply.result) ? reply.result : {};
  const list = result["authMethods"];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

async function newSession(check: AgentCheck, link: SubjectLink): Promise<CallReply> {
  return link.request("session/new", { cwd: await check.workspace(), mcpServers: [] });
}

const offered: AgentCase = {
  name: "authentication/methods",
  ids: [
    "ACP-AUTH-001",
    "ACP-AUTH-002",
    "ACP-AUTH-005",
    "DRA-AUTH-01",
    "DRA-AUTH-02",
    "DRA-AUTH-03",
  ],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const link = await check.start();
    const reply = await check.initialize(link);
    const methods = methodsIn(reply);
    const frames = evidence(link, reply);
    judgeMethods(check, ["ACP-AUTH-001", "ACP-AUTH-002"], methods, frames);
    await judgeAccess(check, link, methods.length > 0);
    await judgeUnknown(check, link);
    await judgeTerminal(check);
  },
};

/** Looks at `session/new` before any login. */
async function judgeAccess(
  check: AgentCheck,
  link: SubjectLink,
  hasMethods: boolean,
): Promise<void> {
  const reply = await newSession(check, link);
  const isBlocked = reply.kind === "error" && reply.code === AUTH_REQUIRED;
  const frames = evidence(link, reply);
  if (!hasMethods) {
    check.judge("ACP-AUTH-005", !isBlocked, `no methods; session/new: ${reply.kind}`, {
      expected: "no error -32000, because no authentication method is offered",
      actual: describeReply(reply),
      frames,
    });
  } else check.skip("ACP-AUTH-005", "the agent offers authentication methods");
  if (reply.kind === "result") {
    check.skip("DRA-AUTH-02", "the agent opens sessions without a login");
    return;
  }
  check.judge("DRA-AUTH-02", isBlocked, "session/new: -32000", {
    expected: "error -32000 for session/new without a login",
    actual: describeReply(reply),
    frames,
  });
}

async function judgeUnknown(check: AgentCheck, link: SubjectLink): Promise<void> {
  const reply = await link.request("authenticate", { methodId: "dragoman-unknown" });
  check.judge("DRA-AUTH-01", reply.kind === "error", describeReply(reply), {
    expected: "an error for a method id that was not offered",
    actual: describeReply(reply),
    frames: evidence(link, reply),
  });
}

async function judgeTerminal(check: AgentCheck): Promise<void> {
  const link = await check.start();
  const reply = await check.initialize(link, { auth: { terminal: true } });
  const terminal = methodsIn(reply).filter(({ type }) => type === "terminal");
  if (terminal.length === 0) check.skip("DRA-AUTH-03", "the agent offers no terminal method");
  for (const method of terminal) {
    const problem = terminalProblem(method);
    check.judge("DRA-AUTH-03", problem === undefined, `method ${shown(method["id"])}`, {
      expected: "args as texts, env as a map, and no command",
      actual: problem ?? "",
      frames: evidence(link, reply),
    });
  }
}

function terminalProblem({ args = null, env = null, command }: JsonObject): string | undefined {
  if (command !== undefined) return `the command ${shown(command)}`;
  if (args !== null && !isStringList(args)) return `args ${shown(args)}`;
  const isMap = isJsonObject(env) && Object.values(env).every((value) => typeof value === "string");
  return env === null || isMap ? undefined : `env ${shown(env)}`;
}

const login: AgentCase = {
  name: "authentication/login",
  ids: ["ACP-AUTH-003"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { authMethod: methodId } = check.run;
    if (methodId === undefined) {
      check.skip("ACP-AUTH-003", "no method to sign in with was given");
      return;
    }
    const link = await check.start();
    await check.initialize(link);
    const reply = await link.request("authenticate", { methodId });
    if (reply.kind !== "result") {
      check.untested("ACP-AUTH-003", `authenticate failed: ${describeReply(reply)}`);
      return;
    }
    const session = await newSession(check, link);
    const isBlocked = session.kind === "error" && session.code === AUTH_REQUIRED;
    check.judge("ACP-AUTH-003", !isBlocked && isJsonObject(reply.result), "signed in", {
      expected: "authenticate returns an object, and session/new is not answered with -32000",
      actual: isBlocked ? describeReply(session) : describeReply(reply),
      frames: [...evidence(link, reply), ...evidence(link, session)],
    });
  },
};

const logout: AgentCase = {
  name: "authentication/logout",
  ids: ["ACP-AUTH-004", "DRA-AUTH-04"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({});
    const before = await newSession(check, link);
    const reply = await link.request("logout", {});
    check.judge("ACP-AUTH-004", reply.kind === "result", "logout succeeds", {
      expected: "logout succeeds",
      actual: describeReply(reply),
      frames: evidence(link, reply),
    });
    if (before.kind !== "result" || reply.kind !== "result") return;
    const after = await newSession(check, link);
    const isBlocked = after.kind === "error" && after.code === AUTH_REQUIRED;
    check.judge("DRA-AUTH-04", isBlocked, "session/new after logout: -32000", {
      expected: "error -32000 for session/new after logout",
      actual: describeReply(after),
      frames: [...evidence(link, reply), ...evidence(link, after)],
    });
  },
};

export const authenticationCases: readonly AgentCase[] = [offered, login, logout];

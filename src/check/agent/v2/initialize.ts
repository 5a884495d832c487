import { isJsonObject, isStringList, type JsonObject, stringField } from "../../../wire/index.ts";
import { validatorOf } from "../../../conformance/index.ts";
import { AUTH_REQUIRED, describeReply, type CallReply, shown } from "../../harness/reply.ts";
import { type AgentCheck, CHECKER_INFO, evidence } from "../agent-check.ts";
import { judgeMethods, methodsIn } from "../basic/authentication.ts";
import type { AgentCase } from "../case.ts";

function resultOf(reply: CallReply): JsonObject {
  return reply.kind === "result" && isJsonObject(reply.result) ? reply.result : {};
}

const versions: AgentCase = {
  name: "v2/initialize",
  ids: ["ACP-INIT-201", "ACP-INIT-202", "ACP-INIT-203", "ACP-INIT-204", "ACP-EXT-202"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const link = await check.start();
    const reply = await check.initialize(link);
    const result = resultOf(reply);
    const frames = evidence(link, reply);
    const version = result["protocolVersion"];
    const isOwn = version === 2 || version === 1;
    check.judge("ACP-INIT-201", isOwn, `asked for 2, answered ${shown(version)}`, {
      expected: "version 2, or the agent's own latest version",
      actual: describeReply(reply),
      frames,
    });
    await judgeOld(check);
    if (version !== 2) {
      const reason = "the agent does not speak version 2";
      for (const id of ["ACP-INIT-203", "ACP-INIT-204", "ACP-EXT-202"]) check.skip(id, reason);
      return;
    }
    const info = isJsonObject(result["info"]) ? result["info"] : {};
    const isNamed = Boolean(stringField(info, "name")) && Boolean(stringField(info, "version"));
    check.judge("ACP-INIT-203", isNamed, shown(info), {
      expected: "info with a name and a version",
      actual: `info ${shown(result["info"])}`,
      frames,
    });
    judgeCapabilities(check, result["capabilities"], frames);
  },
};

function judgeCapabilities(
  check: AgentCheck,
  capabilities: unknown,
  frames: ReturnType<typeof evidence>,
): void {
  const scalar = scalarIn(capabilities, "capabilities");
  check.judge("ACP-INIT-204", scalar === undefined, "objects only", {
    expected: "objects or null",
    actual: scalar ?? "",
    frames,
  });
  const undeclared = validatorOf("v2 unstable")
    .faults("AgentCapabilities", capabilities ?? {})
    .find(({ kind }) => kind === "undeclared");
  check.judge("ACP-EXT-202", undeclared === undefined, "declared fields only", {
    expected: "only capabilities of the schema, with custom ones in _meta",
    actual: `the field ${undeclared?.path ?? ""}`,
    frames,
  });
}

/** A capability that is neither an object nor null. */
function scalarIn(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) return `${path} is ${shown(value)}`;
  for (const [key, part] of Object.entries(value)) {
    const found = key === "_meta" ? undefined : scalarIn(part, `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function judgeOld(check: AgentCheck): Promise<void> {
  const link = await check.start();
  const reply = await link.request(
    "initialize",
    {
      protocolVersion: 1,
      clientCapabilities: {},
      clientInfo: CHECKER_INFO,
    },
    { isInvalid: true },
  );
  check.judge("ACP-INIT-202", reply.kind === "result", `asked for 1: ${describeReply(reply)}`, {
    expected: "a result for a client that asks for version 1",
    actual: describeReply(reply),
    frames: evidence(link, reply),
  });
}

const authentication: AgentCase = {
  name: "v2/authentication",
  ids: ["ACP-AUTH-201", "ACP-AUTH-202", "ACP-AUTH-205", "ACP-AUTH-206", "ACP-AUTH-207"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const link = await check.start();
    const reply = await check.initialize(link);
    const methods = methodsIn(reply);
    const frames = evidence(link, reply);
    judgeMethods(check, ["ACP-AUTH-201", "ACP-AUTH-202"], methods, frames);
    const odd = methods.find(({ type }) => !isKnownType(type));
    check.judge("ACP-AUTH-206", !odd, `${methods.length} methods`, {
      expected: "a known type, or one that begins with an underscore",
      actual: `the type ${shown(odd?.["type"])}`,
      frames,
    });
    const session = await link.request("session/new", { cwd: await check.workspace() });
    const isBlocked = session.kind === "error" && session.code === AUTH_REQUIRED;
    if (methods.length > 0) check.skip("ACP-AUTH-205", "the agent offers authentication methods");
    else {
      check.judge("ACP-AUTH-205", !isBlocked, `session/new: ${session.kind}`, {
        expected: "no error -32000, because no authentication method is offered",
        actual: describeReply(session),
        frames: evidence(link, session),
      });
    }
    await judgeTerminal(check);
  },
};

function isKnownType(type: unknown): boolean {
  return (
    type === "agent" || type === "terminal" || (typeof type === "string" && type.startsWith("_"))
  );
}

async function judgeTerminal(check: AgentCheck): Promise<void> {
  const link = await check.start();
  const reply = await check.initialize(link, { auth: { terminal: {} } });
  const terminal = methodsIn(reply).filter(({ type }) => type === "terminal");
  if (terminal.length === 0) check.skip("ACP-AUTH-207", "the agent offers no terminal method");
  for (const { args = null, env = null } of terminal) {
    const names = Array.isArray(env) ? env.filter(isJsonObject).map(({ name }) => name) : [];
    const isList = env === null || (Array.isArray(env) && new Set(names).size === env.length);
    const isKept = (args === null || isStringList(args)) && isList;
    check.judge("ACP-AUTH-207", isKept, shown({ args, env }), {
      expected: "args as texts, and env as an array with unique names",
      actual: shown({ args, env }),
      frames: evidence(link, reply),
    });
  }
}

const login: AgentCase = {
  name: "v2/login",
  ids: ["ACP-AUTH-203", "ACP-AUTH-204"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { authMethod: methodId } = check.run;
    if (methodId === undefined) {
      for (const id of ["ACP-AUTH-203", "ACP-AUTH-204"]) {
        check.skip(id, "no method to sign in with was given");
      }
      return;
    }
    const link = await check.start();
    await check.initialize(link);
    const reply = await link.request("auth/login", { methodId });
    const session = await link.request("session/new", { cwd: await check.workspace() });
    const isBlocked = session.kind === "error" && session.code === AUTH_REQUIRED;
    check.judge("ACP-AUTH-204", reply.kind === "result" && !isBlocked, "signed in", {
      expected: "auth/login succeeds, and session/new is not answered with -32000",
      actual: isBlocked ? describeReply(session) : describeReply(reply),
      frames: [...evidence(link, reply), ...evidence(link, session)],
    });
    if (!check.run.optIn.has("logout")) return;
    const logout = await link.request("auth/logout", {});
    check.judge("ACP-AUTH-203", logout.kind === "result", "auth/logout succeeds", {
      expected: "auth/logout succeeds",
      actual: describeReply(logout),
      frames: evidence(link, logout),
    });
  },
};

export const initialize2Cases: readonly AgentCase[] = [versions, authentication, login];

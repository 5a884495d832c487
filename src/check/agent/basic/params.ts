import type { JsonObject } from "../../../wire/index.ts";
import { EVERYTHING, pretend } from "../../harness/incoming.ts";
import { describeReply, INVALID_PARAMS, isAnswered } from "../../harness/reply.ts";
import { type AgentCheck, evidence } from "../agent-check.ts";
import { hasCapability } from "../capabilities.ts";
import type { AgentCase } from "../case.ts";

/** Bad params of one method: absent, incomplete, and of a wrong type. */
interface BadParams {
  readonly method: string;
  readonly forms: readonly unknown[];
}

function badParams(check: AgentCheck, sessionId: string): readonly BadParams[] {
  const { capabilities } = check;
  const session = check.run.facts().session ?? {};
  const bySession = (method: string): BadParams => ({
    method,
    forms: [undefined, {}, { sessionId: 7 }],
  });
  const found: BadParams[] = [
    { method: "session/new", forms: [undefined, {}, { cwd: 7, mcpServers: [] }] },
    { method: "session/prompt", forms: [undefined, {}, { sessionId, prompt: "text" }] },
  ];
  if (hasCapability(capabilities, "loadSession")) {
    found.push({ method: "session/load", forms: [{}, { sessionId, cwd: 7, mcpServers: [] }] });
  }
  if (hasCapability(capabilities, "sessionCapabilities.list")) {
    found.push({ method: "session/list", forms: [{ cwd: 7 }] });
  }
  for (const name of ["resume", "close", "delete"]) {
    if (hasCapability(capabilities, `sessionCapabilities.${name}`)) {
      found.push(bySession(`session/${name}`));
    }
  }
  if (session["modes"]) {
    found.push({ method: "session/set_mode", forms: [{}, { sessionId, modeId: 7 }] });
  }
  if (session["configOptions"]) {
    found.push({
      method: "session/set_config_option",
      forms: [{}, { sessionId, configId: 7, value: "x" }],
    });
  }
  return found;
}

const params: AgentCase = {
  name: "json-rpc/params",
  ids: ["DRA-RPC-03"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({});
    const sessionId = await check.session(link);
    for (const { method, forms } of badParams(check, sessionId)) {
      for (const form of forms) {
        const reply = await link.request(method, form, { isInvalid: true });
        const isKept = reply.kind === "error" && reply.code === INVALID_PARAMS;
        check.judge("DRA-RPC-03", isKept, method, {
          expected: `error -32602 for ${method} with ${form === undefined ? "no params" : JSON.stringify(form)}`,
          actual: describeReply(reply),
          frames: evidence(link, reply),
        });
        if (!isAnswered(reply)) return;
      }
    }
  },
};

const extra: AgentCase = {
  name: "schema/unknown-fields",
  ids: ["DRA-EXT-04"],
  process: "shared",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open();
    await check.session(link);
    const known: JsonObject = { cwd: await check.workspace(), mcpServers: [] };
    const reply = await link.request(
      "session/new",
      { ...known, dragomanUnknown: { deep: [1] } },
      { isInvalid: true },
    );
    check.judge(
      "DRA-EXT-04",
      reply.kind === "result",
      "session/new with an unknown field succeeds",
      {
        expected: "session/new succeeds with an unknown field",
        actual: describeReply(reply),
        frames: evidence(link, reply),
      },
    );
  },
};

const meta: AgentCase = {
  name: "schema/meta",
  ids: ["ACP-META-001"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    const { link } = await check.open({});
    const sessionId = await check.session(link);
    const reply = await link.request(
      "session/prompt",
      {
        sessionId,
        prompt: [{ type: "text", text: "Hello" }],
        _meta: { traceparent: "00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01" },
      },
      { limitMs: check.pace.turnMs },
    );
    const plain = reply.kind === "result" ? reply : await check.prompt(link, sessionId, "Hello");
    if (plain.kind !== "result") {
      check.untested("ACP-META-001", `no prompt works: ${describeReply(plain)}`);
      return;
    }
    check.judge("ACP-META-001", reply.kind === "result", "accepted", {
      expected: "a prompt with _meta is accepted, as one without is",
      actual: describeReply(reply),
      frames: evidence(link, reply),
    });
  },
};

/** Ordinary traffic, which passive judges need. */
const conversation: AgentCase = {
  name: "conversation",
  ids: [],
  process: "fresh",
  needs: "prompt",
  isTraffic: true,
  run: async (check) => {
    for (const capabilities of [{}, EVERYTHING]) {
      const { link } = await check.open({ capabilities });
      if (capabilities === EVERYTHING) link.handle("*", pretend);
      const sessionId = await check.session(link);
      await check.prompt(link, sessionId, "Hello");
      await link.request("_dragoman/unknown", {});
      await link.barrier();
    }
  },
};

export const paramsCases: readonly AgentCase[] = [params, extra, meta, conversation];

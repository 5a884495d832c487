import { isJsonObject, stringField } from "../../../wire/index.ts";
import { resultFaults } from "../../../conformance/index.ts";
import { describeReply, shown } from "../../harness/reply.ts";
import { evidence } from "../agent-check.ts";
import { hasCapability } from "../capabilities.ts";
import type { AgentCase } from "../case.ts";
import {
  conversationOf,
  load,
  type PlacedUpdate,
  reopen,
  seedSession,
  textOf,
} from "../conversation.ts";

const loaded: AgentCase = {
  name: "load/fresh-process",
  ids: ["ACP-LOAD-001", "ACP-LOAD-002", "ACP-LOAD-003"],
  process: "fresh",
  needs: "prompt",
  isTraffic: true,
  run: async (check) => {
    const { link, reply, sessionId, after, where } = await reopen(check, (to, session) =>
      load(to, session.sessionId, session.cwd),
    );
    const frames = evidence(link, reply);
    const [fault] =
      reply.kind === "result" && reply.result !== null
        ? resultFaults("session/load", reply.result, 1, true)
        : [];
    const isValid = reply.kind === "result" && fault?.kind !== "invalid";
    check.judge("ACP-LOAD-001", isValid, `loaded ${where}`, {
      expected: "session/load succeeds with a valid result",
      actual: fault ? `${fault.path} ${fault.message}` : describeReply(reply),
      frames,
    });
    if (reply.kind !== "result") return;
    check.judge("ACP-LOAD-003", isJsonObject(reply.result), "an object", {
      expected: "an object",
      actual: shown(reply.result),
      frames,
    });
    await link.barrier();
    const late = conversationOf(link, sessionId, reply.n);
    const early = conversationOf(link, sessionId, after).length - late.length;
    if (early + late.length === 0) {
      check.untested("ACP-LOAD-002", "nothing was replayed");
      return;
    }
    const actual = `${early} updates before the response, ${late.length} after it`;
    check.judge("ACP-LOAD-002", late.length === 0, actual, {
      expected: "no message, thought or tool update after the response",
      actual,
      frames: [...frames, ...evidence(link, ...late.slice(0, 2).map(({ n }) => n))],
    });
  },
};

const UNKNOWN = "dragoman-unknown-session";

const unknown: AgentCase = {
  name: "load/unknown",
  ids: ["DRA-LOAD-03"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({});
    const cwd = await check.workspace();
    const methods = hasCapability(check.capabilities, "sessionCapabilities.resume")
      ? ["session/load", "session/resume"]
      : ["session/load"];
    for (const method of methods) {
      const reply = await link.request(method, { sessionId: UNKNOWN, cwd, mcpServers: [] });
      check.judge("DRA-LOAD-03", reply.kind === "error", `${method}: ${describeReply(reply)}`, {
        expected: `an error of ${method} for an unknown session`,
        actual: describeReply(reply),
        frames: evidence(link, reply),
      });
    }
  },
};

/** Everything a replay shows. Ids and chunk boundaries may differ between replays. */
function wordsOf(updates: readonly PlacedUpdate[]): string {
  const texts = ["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"];
  const calls = updates.filter(({ update }) => update["sessionUpdate"] === "tool_call");
  return [
    ...texts.map((kind) => textOf(updates, kind)),
    ...calls.map(({ update }) => stringField(update, "title") ?? ""),
  ]
    .filter((words) => words !== "")
    .join(" | ");
}

const open: AgentCase = {
  name: "load/while-open",
  ids: ["DRA-LOAD-04"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    const { link, sessionId, cwd } = await seedSession(check);
    const found: string[] = [];
    for (const which of ["first", "second"]) {
      const after = link.frames.length;
      const reply = await load(link, sessionId, cwd);
      if (reply.kind !== "result") {
        check.fail("DRA-LOAD-04", {
          expected: `the ${which} load of an open session succeeds`,
          actual: describeReply(reply),
          frames: evidence(link, reply),
        });
        return;
      }
      await link.barrier();
      found.push(wordsOf(conversationOf(link, sessionId, after)));
    }
    const [first, second] = found;
    if (found.every((words) => words === "")) {
      check.untested("DRA-LOAD-04", "nothing was replayed");
      return;
    }
    check.judge("DRA-LOAD-04", first === second, `${shown(first)}, twice`, {
      expected: "a second load replays the same conversation",
      actual: `${shown(first)} at first, ${shown(second)} the second time`,
    });
  },
};

const early: AgentCase = {
  name: "load/before-first-turn",
  ids: ["DRA-LOAD-05"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const { link } = await check.open({});
    const cwd = await check.workspace();
    const methods: readonly (readonly [string, string, boolean])[] = [
      ["session/load", "loadSession", true],
      ["session/resume", "sessionCapabilities.resume", true],
      ["session/close", "sessionCapabilities.close", false],
      ["session/delete", "sessionCapabilities.delete", false],
    ];
    for (const [method, capability, hasFolder] of methods) {
      if (!hasCapability(check.capabilities, capability)) continue;
      const sessionId = await check.session(link, cwd);
      const params = hasFolder ? { sessionId, cwd, mcpServers: [] } : { sessionId };
      const reply = await link.request(method, params);
      check.judge("DRA-LOAD-05", reply.kind === "result", method, {
        expected: `${method} succeeds before the first turn`,
        actual: describeReply(reply),
        frames: evidence(link, reply),
      });
    }
  },
};

const resumed: AgentCase = {
  name: "load/resume",
  ids: ["ACP-RESUME-001", "ACP-RESUME-002"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    const { link, reply, sessionId, after, where } = await reopen(check, (to, session) =>
      to.request("session/resume", { sessionId: session.sessionId, cwd: session.cwd }),
    );
    check.judge("ACP-RESUME-001", reply.kind === "result", `resumed ${where}`, {
      expected: "session/resume succeeds without mcpServers",
      actual: describeReply(reply),
      frames: evidence(link, reply),
    });
    if (reply.kind !== "result") return;
    const replayed = conversationOf(link, sessionId, after).filter(({ n }) => n < reply.n);
    check.judge("ACP-RESUME-002", replayed.length === 0, "nothing before the response", {
      expected: "no message, thought or tool update before the response",
      actual: `${replayed.length} updates`,
      frames: [
        ...evidence(link, ...replayed.slice(0, 2).map(({ n }) => n)),
        ...evidence(link, reply),
      ],
    });
  },
};

export const loadCases: readonly AgentCase[] = [loaded, unknown, open, early, resumed];

import { asObject, type JsonObject } from "../../../wire/index.ts";
import type { SubjectLink } from "../../harness/link.ts";
import { describeReply, shown } from "../../harness/reply.ts";
import { type AgentCheck, evidence } from "../agent-check.ts";
import { objects, valuesOf } from "../basic/options.ts";
import type { AgentCase } from "../case.ts";
import { judgeOptions } from "./sessions.ts";
import { open2 } from "./turns.ts";

const options: AgentCase = {
  name: "v2/options",
  ids: ["ACP-CONFIG-201", "ACP-CONFIG-202", "ACP-CONFIG-204", "ACP-CONFIG-205"],
  process: "fresh",
  needs: "none",
  isTraffic: true,
  run: async (check) => {
    const { link } = await open2(check);
    const session = await check.newSession(link);
    const frames = evidence(link, link.frames.length);
    const all = objects(session["configOptions"]);
    judgeOptions(check, "ACP-CONFIG-201", all, frames);
    for (const option of all.filter(({ type }) => type === "select")) {
      const { configId, currentValue } = option;
      check.judge("ACP-CONFIG-204", valuesOf(option).includes(currentValue), shown(configId), {
        expected: `${shown(configId)} has one of its values`,
        actual: `the value ${shown(currentValue)}`,
        frames,
      });
    }
    await judgeSetting(check, link, String(session["sessionId"]), all);
    await link.barrier();
  },
};

async function judgeSetting(
  check: AgentCheck,
  link: SubjectLink,
  sessionId: string,
  all: readonly JsonObject[],
): Promise<void> {
  const option = all.find((one) => valuesOf(one).length > 0);
  if (!option) return;
  const { configId, currentValue } = option;
  const value = valuesOf(option).find((one) => one !== currentValue) ?? currentValue;
  const reply = await link.request("session/set_config_option", {
    sessionId,
    configId,
    type: "id",
    value,
  });
  const frames = evidence(link, reply);
  const answered =
    reply.kind === "result" ? objects(asObject(reply.result)?.["configOptions"]) : [];
  const ids = answered.map((one) => one["configId"]);
  const missing = all.map((one) => one["configId"]).filter((id) => !ids.includes(id));
  const isComplete = reply.kind === "result" && missing.length === 0;
  check.judge("ACP-CONFIG-202", isComplete, `${answered.length} options in the answer`, {
    expected: "all options in the answer",
    actual: reply.kind === "result" ? `without ${shown(missing)}` : describeReply(reply),
    frames,
  });
  const now = answered.find((one) => one["configId"] === configId)?.["currentValue"];
  if (reply.kind !== "result") return;
  check.judge("ACP-CONFIG-205", now === value, `${shown(configId)} is ${shown(value)}`, {
    expected: `${shown(configId)} at ${shown(value)}`,
    actual: shown(now),
    frames,
  });
}

const servers: AgentCase = {
  name: "v2/mcp",
  ids: ["ACP-MCP-201", "ACP-MCP-202"],
  process: "fresh",
  needs: "none",
  run: async (check) => {
    const forms: readonly (readonly [string, JsonObject])[] = [
      ["ACP-MCP-201", { type: "stdio", name: "probe", command: "/bin/false", args: [], env: [] }],
      ["ACP-MCP-202", { type: "http", name: "probe", url: "http://127.0.0.1:9/mcp", headers: [] }],
    ];
    for (const [id, server] of forms) {
      const { link } = await open2(check);
      const reply = await link.request("session/new", {
        cwd: await check.workspace(),
        mcpServers: [server],
      });
      check.pass(id, describeReply(reply), evidence(link, reply));
    }
  },
};

export const settings2Cases: readonly AgentCase[] = [options, servers];

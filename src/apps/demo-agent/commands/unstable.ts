import { randomUUID } from "node:crypto";
import { RemoteError } from "../../../transport/rpc/index.ts";
import { isJsonObject, type JsonObject } from "../../../base/index.ts";
import { McpError } from "../../../agent/index.ts";
import type { DemoTurn } from "../files.ts";
import type { Command } from "./command.ts";

/** Commands that show the unstable protocol. They need `--unstable`. */
export const unstable: readonly Command[] = [
  {
    name: "plans",
    description: "Shows plans of every kind, by their ids, then removes one",
    needs: "plan",
    async run(turn) {
      const entries = [{ content: "Try it", priority: "high", status: "in_progress" } as const];
      await turn.planUpdate({ type: "items", planId: "steps", entries });
      await turn.planUpdate({ type: "markdown", planId: "notes", content: "# Notes\n\nNone." });
      const uri = `file://${turn.session.cwd}/PLAN.md`;
      await turn.planUpdate({ type: "file", planId: "file", uri });
      await turn.planRemoved("notes");
      await turn.say("There are two plans: steps and file.");
    },
  },
  {
    name: "subagent",
    description: "Runs a subagent that answers a message and asks for permission",
    hint: "message",
    needs: "subagents",
    async run(turn, rest) {
      await runSubagent(turn, rest || "Count to three");
    },
  },
  {
    name: "tokens",
    description: "Ends the turn with the tokens that it has used",
    async run(turn) {
      await turn.say("This turn used 42 tokens.");
      const usage = { totalTokens: 42, inputTokens: 30, outputTokens: 10, thoughtTokens: 2 };
      return { stopReason: "end_turn", usage };
    },
  },
  {
    name: "system-prompt",
    description: "Shows the instructions that the client gave when it opened the session",
    async run(turn) {
      const { systemPrompt } = turn.session.state;
      if (!systemPrompt) return await turn.say("The client gave no instructions.");
      const text = systemPrompt.content.map((block) => (block.type === "text" ? block.text : ""));
      await turn.say(`Your instructions (${systemPrompt.mode}):\n\n${text.join("\n")}`);
    },
  },
  {
    name: "mcp-call",
    description: "Calls an MCP server in the client's process",
    hint: "server method [params as JSON]",
    async run(turn, rest) {
      const [, name = "", method = "tools/list", json = ""] =
        /^(\S+)\s*(\S+)?\s*([^]*)$/.exec(rest) ?? [];
      const params = readParams(json);
      if (params === undefined) return await turn.say("The params are not a JSON object.");
      const known = turn.session.mcpServers.some(
        (server) => "serverId" in server && server.name === name,
      );
      if (!known) return await turn.say(`There is no MCP server "${name}" in your process.`);
      await turn.say(await callServer(turn, name, method, params));
    },
  },
];

async function runSubagent(turn: DemoTurn, message: string): Promise<void> {
  const subagent = await turn.session.openSubagent({
    title: "Counter",
    description: "Counts",
    capabilities: { cancel: {} },
    state: { state: "running" },
  });
  const messageId = randomUUID();
  await turn.sessionMessage(messageId, {
    senderSessionId: turn.session.id,
    recipientSessionId: subagent.id,
  });
  await turn.sessionMessageChunk(messageId, message);
  const toolCall = { toolCallId: randomUUID(), title: "Count", kind: "other" } as const;
  await subagent.update({ sessionUpdate: "tool_call", ...toolCall, status: "pending" });
  const { allowed, outcome } = await subagent.askAbout(toolCall);
  const status = allowed ? "completed" : "failed";
  await subagent.update({ sessionUpdate: "tool_call_update", ...toolCall, status });
  if (allowed) for (const n of [1, 2, 3]) await subagent.say(`${n} `);
  const stopReason = outcome === "cancelled" ? "cancelled" : "end_turn";
  await subagent.describe({ state: { state: "idle", stopReason } });
  await turn.say(allowed ? "My subagent has counted." : "My subagent has not counted.");
}

async function callServer(
  turn: DemoTurn,
  name: string,
  method: string,
  params: JsonObject,
): Promise<string> {
  const lines: string[] = [];
  try {
    const result = await turn.session.mcp(name).request(method, params, {
      signal: turn.signal,
      onNotification: (notification) => void lines.push(`Notification: ${notification}`),
    });
    lines.push(`Result: ${JSON.stringify(result)}`);
  } catch (error) {
    if (!(error instanceof McpError) && !(error instanceof RemoteError)) throw error;
    lines.push(`${error.name} ${error.rpcCode}: ${error.message}`);
  }
  return lines.join("\n");
}

function readParams(json: string): JsonObject | undefined {
  if (json.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

import { execPath } from "node:process";
import { join } from "node:path";
import {
  claude as claudeModel,
  claudeZed as claudeZedModel,
  gemini as geminiModel,
  kimi as kimiModel,
  opencode as opencodeModel,
  qwen as qwenModel,
} from "../../../src/conformance/scripted-model/recipes.ts";
import { type AgentRecipe, node24, wholePlan } from "./recipe.ts";

export const kimi: AgentRecipe = {
  ...kimiModel,
  name: "kimi",
  package: "@moonshot-ai/kimi-code",
  version: "2.1.0",
  info: { name: "Kimi Code CLI", version: "2.1.0" },
  bin: ".bin",
  executables: [node24],
  // It needs Node 22.19 and fails at its first import on Node 20.
  start: (modules) => ({
    command: join(modules, node24),
    args: [join(modules, ".bin/kimi"), "acp"],
  }),
  expected: {
    plan: { entries: wholePlan },
    read: { by: "client" },
    write: { asked: ["tool call", "write"], by: "client" },
    edit: { asked: ["tool call"], by: "client", diffPaths: ["absolute"] },
    shell: { asked: ["tool call", "command"], by: "client" },
    cancelMidStream: { stopReason: "cancelled" },
    cancelWhileAsked: { stopReason: "cancelled" },
    reject: { stopReason: "end_turn", modelGoesOn: true, toolCall: "failed" },
    load: { replays: ["user", "agent", "tool call"], inTime: true },
  },
  reasons: {
    write: "asks without naming the file, so the client asks about the write as well",
    shell: "asks without naming the command, so the client asks about the command as well",
  },
  quirks: [
    "Needs Node 22.19 or newer.",
    "Looks for AGENTS.md in several folders through `fs/read_text_file` after each tool call, so answers with -32002 are normal.",
    "Runs a command as `bash -c` with a `cd` in front of it.",
    "Streams the arguments of a tool call as its text content, which each update replaces.",
    "Sends `usage_update` after the answer to the prompt.",
    "If the model service fails, the turn ends with `end_turn` and no message.",
  ],
};

const claudeZed: AgentRecipe = {
  ...claudeZedModel,
  name: "claude-zed",
  package: "@zed-industries/claude-code-acp",
  version: "0.16.2",
  info: { name: "@zed-industries/claude-code-acp", version: "0.16.2" },
  bin: ".bin",
  executables: [],
  start: (modules) => ({ command: execPath, args: [join(modules, ".bin/claude-code-acp")] }),
  expected: {
    plan: { entries: wholePlan },
    read: { by: "client" },
    write: { asked: ["tool call"], by: "client" },
    edit: { asked: ["tool call"], by: "client", diffPaths: ["absolute"] },
    shell: { asked: ["tool call"], by: "client" },
    cancelMidStream: { stopReason: "cancelled" },
    cancelWhileAsked: { stopReason: "cancelled" },
    reject: { stopReason: "end_turn", modelGoesOn: false, toolCall: "failed" },
    load: { replays: ["user", "agent", "tool call"], inTime: true },
  },
  reasons: {},
  quirks: [
    "Does not exit when its stdin ends, so it always has to be ended with SIGTERM.",
    "Sends `tool_call` twice for one id.",
    "Sends `terminal/create` with a whole command line as `command`, without `args` and `cwd`.",
    "As root, it opens a session only with `IS_SANDBOX=1`.",
  ],
};

export const opencode: AgentRecipe = {
  ...opencodeModel,
  name: "opencode",
  package: "opencode-ai",
  version: "1.18.33",
  info: { name: "OpenCode", version: "1.18.33" },
  bin: "opencode-linux-x64/bin",
  executables: ["opencode-linux-x64/bin/opencode"],
  // An install script sets up the package's own command. This is the file that it runs.
  start: (modules) => ({
    command: join(modules, "opencode-linux-x64/bin/opencode"),
    args: ["acp"],
  }),
  expected: {
    plan: { entries: [] },
    read: { by: "agent" },
    write: { asked: ["tool call"], by: "client" },
    edit: { asked: ["tool call"], by: "client", diffPaths: ["absolute"] },
    shell: { asked: ["tool call"], by: "agent" },
    cancelMidStream: { stopReason: "cancelled" },
    cancelWhileAsked: { stopReason: "cancelled" },
    reject: { stopReason: "end_turn", modelGoesOn: false, toolCall: "failed" },
    load: { replays: ["user", "agent", "tool call"], inTime: true },
  },
  reasons: {
    plan: "has a todo tool, but reports its use only as a tool call",
    read: "reads by itself and writes through the client",
    shell: "never uses the client's terminals, although the client offers them",
  },
  quirks: [
    "Never asks for permission unless its `permission` settings say `ask`.",
    "Reports a failed command as a `completed` tool call, with the exit code in `rawOutput.metadata.exit`.",
    "The title of a permission request differs from that of its tool call.",
  ],
};

export const gemini: AgentRecipe = {
  ...geminiModel,
  name: "gemini",
  package: "@google/gemini-cli",
  version: "0.61.0",
  info: { name: "gemini-cli", version: "0.61.0" },
  bin: ".bin",
  executables: [],
  start: (modules) => ({ command: execPath, args: [join(modules, ".bin/gemini"), "--acp"] }),
  expected: {
    plan: { entries: [] },
    read: { by: "agent" },
    write: { asked: ["tool call"], by: "client" },
    edit: { asked: ["tool call"], by: "client", diffPaths: ["absolute"] },
    shell: { asked: ["tool call"], by: "agent" },
    cancelMidStream: { stopReason: "cancelled" },
    cancelWhileAsked: { stopReason: "cancelled" },
    reject: { stopReason: "end_turn", modelGoesOn: true, toolCall: "pending" },
    load: { replays: ["user", "agent", "tool call"], inTime: false },
  },
  reasons: {
    plan: "has a todo tool, but no code that sends a plan",
    read: "reads by itself, and uses `fs/*` only when it writes",
    shell: "never uses the client's terminals, although the client offers them",
    reject: "sends no further update for a denied tool call",
    load: "answers first and then replays the conversation",
  },
  quirks: [
    'Cannot create a file if the client serves `fs/read_text_file` and answers with an error for a missing file; `fs: { missingFile: "empty" }` helps.',
    "A prompt sent right after `loadSession` may receive part of the replay among its own updates; `loadSession({ replaySilenceMs })` helps.",
    "Loading a session in the same minute in which it was started fails, and the conversation is lost.",
    "Asks for permission for tool calls that it has not reported.",
    "Reports errors of the model service as JSON-RPC errors with the HTTP status as the code.",
  ],
};

export const qwen: AgentRecipe = {
  ...qwenModel,
  name: "qwen",
  package: "@qwen-code/qwen-code",
  version: "0.24.4",
  info: { name: "qwen-code", version: "0.24.4" },
  bin: ".bin",
  executables: [node24],
  start: (modules) => ({
    command: join(modules, node24),
    args: [join(modules, ".bin/qwen"), "--acp"],
  }),
  expected: {
    plan: { entries: wholePlan },
    read: { by: "client" },
    write: { asked: ["tool call"], by: "client" },
    edit: { asked: ["tool call"], by: "client", diffPaths: ["absolute"] },
    shell: { asked: ["tool call"], by: "agent" },
    cancelMidStream: { stopReason: "cancelled" },
    cancelWhileAsked: { stopReason: "cancelled" },
    reject: { stopReason: "end_turn", modelGoesOn: false, toolCall: "failed" },
    load: { replays: ["user", "agent", "tool call"], inTime: true },
  },
  reasons: {
    shell: "never uses the client's terminals, although the client offers them",
  },
  quirks: [
    "Needs Node 22 or newer.",
    'By default, its own model decides about permissions, and it asks nothing; `tools.approvalMode: "default"` in its settings makes it ask.',
    "By default, it has no todo tool; `tools.todoWrite.enabled` in its settings turns it on.",
    "Two options of a permission request may have the same kind.",
    'Saves an "always" choice in `.qwen/settings.json` in the workspace, where it stays in effect.',
    "Sends the request `craft/drainMidTurnQueue`, whose name has no underscore, after each tool call; the answer -32601 is normal.",
    "Loses the end of the conversation if it is ended right after a turn, because it answers the prompt before it has saved everything.",
  ],
};

export const claude: AgentRecipe = {
  ...claudeModel,
  name: "claude",
  package: "@agentclientprotocol/claude-agent-acp",
  version: "0.99.1",
  info: { name: "@agentclientprotocol/claude-agent-acp", version: "0.99.1" },
  bin: ".bin",
  executables: [node24],
  start: (modules) => ({
    command: join(modules, node24),
    args: [join(modules, ".bin/claude-agent-acp")],
  }),
  expected: {
    plan: { entries: wholePlan },
    read: { by: "agent" },
    write: { asked: ["tool call"], by: "agent" },
    edit: { asked: ["tool call"], by: "agent", diffPaths: ["absolute"] },
    shell: { asked: ["tool call"], by: "agent" },
    cancelMidStream: { stopReason: "cancelled" },
    cancelWhileAsked: { stopReason: "cancelled" },
    reject: { stopReason: "end_turn", modelGoesOn: true, toolCall: "failed" },
    load: { replays: ["user", "agent", "tool call"], inTime: true },
  },
  reasons: {
    read: "never uses `fs/*`, although the client offers it",
    shell: "never uses the client's terminals, although the client offers them",
  },
  quirks: [
    "Needs Node 22 or newer.",
    "By default, its model has no tools for tasks, and so it shows no plan; `CLAUDE_CODE_ENABLE_TODO_TOOLS=1` turns them on.",
    "Reports its sign-in with `_auth/status_update` before the answer to `session/new`.",
    "Sends some `tool_call_update`s with only `_meta`.",
    "Builds its plan from tasks (`TaskCreate`, `TaskUpdate`), which it adds one by one.",
  ],
};

export const recipes: readonly AgentRecipe[] = [kimi, claudeZed, opencode, gemini, qwen, claude];

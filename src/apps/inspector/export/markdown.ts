import { partiesOf } from "../compare.ts";
import {
  itemContent,
  itemRows,
  itemText,
  readWireMessage,
  type SessionModel,
  toolCallState,
  type TracedItem,
  type TracedPermission,
  type TracedToolCall,
  type TracedTurn,
  updateOf,
} from "../../../trace/index.ts";
import type { ContentBlock } from "../../../protocol/acp/index.ts";
import { objectsField, sanitize, stringField } from "../../../base/index.ts";

/** The most characters of a tool's output that are quoted. */
const MOST_OUTPUT = 4000;

/** The conversation as Markdown, for an issue or a person to read. */
export function exportMarkdown(model: SessionModel): string {
  const parts = model.items.map((item) => itemMarkdown(model, item)).filter((part) => part !== "");
  return `${[titleOf(model), ...parts].join("\n\n")}\n`;
}

function titleOf(model: SessionModel): string {
  const { agent, client } = partiesOf(model);
  const name = ({ name: first, version }: NonNullable<typeof agent>): string =>
    version === undefined ? first : `${first} ${version}`;
  const who = [agent && name(agent), client && `with ${name(client)}`].filter(Boolean).join(" ");
  return `# ${who === "" ? "Session" : who}`;
}

/** One item as Markdown; empty if there is nothing to show. */
export function itemMarkdown(model: SessionModel, item: TracedItem): string {
  switch (item.kind) {
    case "prompt":
    case "user":
      return `## User\n\n${contentMarkdown(itemContent(model, item))}`;
    case "agent":
      return contentMarkdown(itemContent(model, item));
    case "thought":
      return quoted(`*Thought:* ${itemText(model, item).trim()}`);
    case "plan":
      return planMarkdown(model, item);
    case "tool": {
      const call = model.toolCalls[item.shows];
      return call ? toolMarkdown(model, call) : "";
    }
    case "permission": {
      const permission = model.permissions[item.shows];
      return permission ? permissionMarkdown(model, permission) : "";
    }
    case "notice":
    case "mode": {
      const update = updateOf(readWireMessage(model.frames.line(item.first))) ?? {};
      const mode = stringField(update, "currentModeId");
      return `*${plain(stringField(update, "title") ?? (mode === undefined ? "" : `mode: ${mode}`))}*`;
    }
    case "end": {
      const turn = model.turns[item.shows];
      return turn ? endMarkdown(model, turn) : "";
    }
  }
}

function contentMarkdown(blocks: readonly ContentBlock[]): string {
  return blocks.map(blockMarkdown).join("\n\n").trim();
}

function blockMarkdown(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return sanitize(block.text);
    case "image":
    case "audio":
      return `*[${block.type}, ${plain(block.mimeType)}]*`;
    case "resource_link":
      return `*[${plain(block.name)}: ${plain(block.uri)}]*`;
    case "resource":
      return "text" in block.resource
        ? `*[${plain(block.resource.uri)}]*\n\n${fenced(block.resource.text)}`
        : `*[${plain(block.resource.uri)}]*`;
  }
}

function toolMarkdown(model: SessionModel, call: TracedToolCall): string {
  const seconds = call.endMs === undefined ? "" : `, ${time(call.endMs - call.startMs)}`;
  const kind = call.kind === "" ? "" : ` (${plain(call.kind)})`;
  const head = `- **${plain(call.title || call.id)}**${kind}: ${plain(call.status)}${seconds}`;
  const shown = (toolCallState(model, call)?.content ?? []).map((content) => {
    switch (content.type) {
      case "content":
        return content.content.type === "text" ? fenced(content.content.text) : "";
      case "diff":
        return `changed \`${plain(content.path)}\``;
      case "terminal":
        return `terminal \`${plain(content.terminalId)}\``;
    }
  });
  return [head, ...shown.filter((part) => part !== "").map(indented)].join("\n\n");
}

function permissionMarkdown(model: SessionModel, permission: TracedPermission): string {
  const { options, optionId, outcome, decision, tool } = permission;
  const call = model.toolCalls[tool];
  const chosen = options.find((option) => option.optionId === optionId);
  const answer = outcome === "selected" ? (chosen?.name ?? optionId ?? "") : outcome;
  const why = decision
    ? ` (by ${decision.by}${decision.hint === undefined ? "" : `: ${decision.hint}`})`
    : "";
  const offered = options.map(({ name }) => plain(name)).join(", ");
  return `- Permission for **${plain(call?.title || call?.id || "a request")}**: ${plain(answer)}${plain(why)}; offered: ${offered}`;
}

function planMarkdown(model: SessionModel, item: TracedItem): string {
  const update =
    updateOf(readWireMessage(model.frames.line(itemRows(model, item).at(-1) ?? -1))) ?? {};
  const entries = objectsField(update, "entries").map((entry) => {
    const mark = entry["status"] === "completed" ? "x" : " ";
    return `- [${mark}] ${plain(stringField(entry, "content") ?? "")}`;
  });
  return entries.join("\n");
}

function endMarkdown(model: SessionModel, turn: TracedTurn): string {
  const took = turn.endMs === undefined ? "" : ` after ${time(turn.endMs - turn.startMs)}`;
  if (turn.error) return `*The prompt failed${took}: ${plain(turn.error.message)}*`;
  const isSilent = !model.items.some(
    ({ kind, turn: of }) => of === turn.number && (kind === "agent" || kind === "tool"),
  );
  const silent = isSilent ? ", without a message or a tool call" : "";
  return `*Ended with ${plain(turn.stopReason ?? "no reason")}${took}${silent}*`;
}

function time(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Text of an agent inside a line of Markdown: one line, and nothing that starts markup. */
function plain(text: string): string {
  return sanitize(text)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\\`*_[\]<>]/g, String.raw`\$&`);
}

function quoted(text: string): string {
  return sanitize(text).replaceAll(/^/gm, "> ");
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

/** A block of code whose fence is longer than any in the text. */
function fenced(text: string): string {
  const cut = text.length > MOST_OUTPUT ? `${text.slice(0, MOST_OUTPUT)}\n…` : text;
  const longest = Math.max(2, ...[...cut.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${sanitize(cut)}\n${fence}`;
}

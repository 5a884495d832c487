import { relative } from "node:path";
import type { ToolCallContent } from "../../../protocol/acp/index.ts";
import type { ToolCallHandle } from "../../../agent/index.ts";
import {
  readWorkspaceFile,
  tryReadFile,
  resolveInWorkspace,
  type DemoTurn,
  reasonOf,
  tryWriteFile,
} from "../files.ts";
import type { Command } from "./command.ts";

const SHOWN_CHARS = 4000;

/** Commands that work on the user's machine, through the client if it supports that. */
export const tools: readonly Command[] = [
  {
    name: "read",
    description: "Reads a file through the client",
    hint: "path [line] [limit]",
    async run(turn, rest) {
      const [typed = "", line, limit] = rest.split(/\s+/);
      const path = await resolveOrExplain(turn, typed);
      if (path === undefined) return;
      const position = line === undefined ? {} : { line: Number(line) };
      const call = await turn.toolCall({
        title: `Read ${typed}`,
        kind: "read",
        locations: [{ path, ...position }],
      });
      const range = { ...position, ...(limit === undefined ? {} : { limit: Number(limit) }) };
      const read = await tryReadFile(turn, path, range);
      if (!read.ok) {
        await failBecause(call, read.reason);
        await turn.say(`I could not read ${typed}: ${read.reason}`);
        return;
      }
      const { text } = read;
      const shown = text.slice(0, SHOWN_CHARS);
      await call.complete({
        content: [{ type: "content", content: { type: "text", text: shown } }],
      });
      await turn.say(
        `${typed} has ${text.split("\n").length} lines and ${text.length} characters.${sourceOf(turn)}`,
      );
    },
  },
  {
    name: "edit",
    description:
      "Adds a line to a file: shows the diff, asks for permission and writes through the client",
    hint: "path text",
    async run(turn, rest) {
      const [, typed = "", text = ""] = /^(\S+)\s*(.*)$/s.exec(rest) ?? [];
      const path = await resolveOrExplain(turn, typed);
      if (path === undefined) return "end_turn";
      const oldText = await readWorkspaceFile(turn, path);
      const base = oldText ?? "";
      const gap = base === "" || base.endsWith("\n") ? "" : "\n";
      const newText = `${base}${gap}${text || "A line from the demo agent."}\n`;
      const content: ToolCallContent[] = [
        { type: "diff", path, oldText: oldText ?? null, newText },
      ];
      const edit = {
        title: `Edit ${typed}`,
        kind: "edit",
        content,
        locations: [{ path }],
      } as const;
      if (!(await mayChange(turn))) return "refusal";
      if (turn.session.state.mode === "auto") {
        const call = await turn.toolCall(edit);
        if (!(await writeOrExplain(turn, call, path, newText))) return "end_turn";
      } else {
        const answer = await turn.askPermission({ ...edit, always: true });
        if (!answer.allowed) {
          await turn.say("All right, I left the file unchanged.");
          return "end_turn";
        }
        if (answer.always) await switchToAuto(turn);
        await answer.toolCall.progress();
        if (!(await writeOrExplain(turn, answer.toolCall, path, newText))) return "end_turn";
      }
      await turn.say(`${relative(turn.session.cwd, path)} has one more line.${sourceOf(turn)}`);
      return "end_turn";
    },
  },
  {
    name: "run",
    description: "Runs a command in the client's terminal; on v2, on the agent's machine",
    hint: "command line",
    needs: "terminal",
    async run(turn, rest) {
      if (!(await mayChange(turn))) return "refusal";
      const line = rest || "echo hello";
      const [command, args] =
        process.platform === "win32" ? ["cmd.exe", ["/c", line]] : ["sh", ["-c", line]];
      const call = await turn.toolCall({
        title: line,
        kind: "execute",
        status: "pending",
        rawInput: { command: line },
      });
      // On v2 the command runs on this machine, and no client checks it.
      const mustAsk = turn.session.state.mode === "ask" || turn.client.protocolVersion === 2;
      if (mustAsk && !(await call.askPermission()).allowed) {
        await call.fail();
        await turn.say("All right, I did not run it.");
        return "end_turn";
      }
      const { cwd } = turn.session;
      const start = { command, args, cwd, outputByteLimit: 100_000 };
      const terminal = await turn.terminal(start).catch(reasonOf);
      if (typeof terminal === "string") {
        await failBecause(call, terminal);
        await turn.say(`I could not run it: ${terminal}`);
        return "end_turn";
      }
      await call.progress({ content: [terminal.content] });
      const exit = await terminal.waitForExit();
      const { output, truncated } = await terminal.output();
      const ended = exit.signal === null ? `code ${exit.exitCode ?? 0}` : exit.signal;
      const succeeded = exit.exitCode === 0;
      const details = { rawOutput: { exitCode: exit.exitCode, signal: exit.signal, truncated } };
      await (succeeded ? call.complete(details) : call.fail(details));
      await turn.say(`It ended with ${ended} after ${output.length} characters of output.`);
      await terminal.release();
      return "end_turn";
    },
  },
];

/** Resolves a typed path; tells the user if it is missing or outside the workspace. */
async function resolveOrExplain(turn: DemoTurn, typed: string): Promise<string | undefined> {
  const path = typed === "" ? undefined : resolveInWorkspace(turn, typed);
  if (path === undefined) {
    await turn.say(typed === "" ? "Which file?" : `${typed} is not in the workspace.`);
  }
  return path;
}

/** Writes a file and ends its tool call; tells the user if that fails. */
async function writeOrExplain(
  turn: DemoTurn,
  call: ToolCallHandle,
  path: string,
  text: string,
): Promise<boolean> {
  const reason = await tryWriteFile(turn, path, text);
  if (reason === undefined) {
    await call.complete();
    return true;
  }
  await failBecause(call, reason);
  await turn.say(`I could not write ${relative(turn.session.cwd, path)}: ${reason}`);
  return false;
}

async function failBecause(call: ToolCallHandle, reason: string): Promise<void> {
  const content = { type: "text", text: reason } as const;
  await call.fail({ content: [{ type: "content", content }] });
}

/** Explains on v2 why unsaved changes are missing. */
function sourceOf({ client }: DemoTurn): string {
  if (client.protocolVersion === 1) return "";
  return " ACP v2 has no files of the client, so I used the disk: unsaved changes are missing.";
}

/** In the mode `read-only`, nothing may change. */
async function mayChange(turn: DemoTurn): Promise<boolean> {
  if (turn.session.state.mode !== "read-only") return true;
  await turn.say("The mode is read-only, so I cannot do that.");
  return false;
}

async function switchToAuto(turn: DemoTurn): Promise<void> {
  turn.session.state.mode = "auto";
  await turn.mode("auto");
}

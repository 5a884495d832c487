import { relative } from "node:path";
import type { ToolCallContent } from "../../../protocol/acp/index.ts";
import type { ToolCallHandle } from "../../../agent/index.ts";
import {
  type DemoTurn,
  readFileOf,
  readWorkspaceFile,
  refusalReason,
  resolveInWorkspace,
  writeFileOf,
} from "../files.ts";
import { type Command, Explained } from "./command.ts";

const SHOWN_CHARS = 4000;

/** Commands that work on the user's machine, through the client if it supports that. */
export const tools: readonly Command[] = [
  {
    name: "read",
    description: "Reads a file through the client",
    hint: "path [line] [limit]",
    async run(turn, rest) {
      const [typed = "", line, limit] = rest.split(/\s+/);
      const path = pathOf(turn, typed);
      const position = line === undefined ? {} : { line: Number(line) };
      const call = await turn.toolCall({
        title: `Read ${typed}`,
        kind: "read",
        locations: [{ path, ...position }],
      });
      const range = { ...position, ...(limit === undefined ? {} : { limit: Number(limit) }) };
      const text = await attempt(call, `read ${typed}`, () => readFileOf(turn, path, range));
      await call.complete({ content: [textContent(text.slice(0, SHOWN_CHARS))] });
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
      const path = pathOf(turn, typed);
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
      mustBeAbleToChange(turn);
      const call =
        turn.session.state.mode === "auto"
          ? await turn.toolCall(edit)
          : await permitted(turn, edit);
      const name = relative(turn.session.cwd, path);
      await attempt(call, `write ${name}`, () => writeFileOf(turn, path, newText));
      await call.complete();
      await turn.say(`${name} has one more line.${sourceOf(turn)}`);
    },
  },
  {
    name: "run",
    description: "Runs a command in the client's terminal; on v2, on the agent's machine",
    hint: "command line",
    needs: "terminal",
    async run(turn, rest) {
      mustBeAbleToChange(turn);
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
        throw new Explained("All right, I did not run it.");
      }
      const { cwd } = turn.session;
      const start = { command, args, cwd, outputByteLimit: 100_000 };
      const terminal = await attempt(call, "run it", () => turn.terminal(start));
      await call.progress({ content: [terminal.content] });
      const exit = await terminal.waitForExit();
      const { output, truncated } = await terminal.output();
      const ended = exit.signal === null ? `code ${exit.exitCode ?? 0}` : exit.signal;
      const succeeded = exit.exitCode === 0;
      const details = { rawOutput: { exitCode: exit.exitCode, signal: exit.signal, truncated } };
      await (succeeded ? call.complete(details) : call.fail(details));
      await turn.say(`It ended with ${ended} after ${output.length} characters of output.`);
      await terminal.release();
    },
  },
];

/** Resolves a typed path. Explains that it is missing or outside the workspace. */
function pathOf(turn: DemoTurn, typed: string): string {
  if (typed === "") throw new Explained("Which file?");
  const path = resolveInWorkspace(turn, typed);
  if (path === undefined) throw new Explained(`${typed} is not in the workspace.`);
  return path;
}

/** Does a part of a tool call. If the client or the disk refuses it, the call fails, and the user learns why. */
async function attempt<T>(call: ToolCallHandle, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = refusalReason(error);
    await call.fail({ content: [textContent(reason)] });
    throw new Explained(`I could not ${what}: ${reason}`);
  }
}

/** The tool call once the user has allowed it. */
async function permitted(
  turn: DemoTurn,
  edit: Parameters<DemoTurn["askPermission"]>[0],
): Promise<ToolCallHandle> {
  const { allowed, always, toolCall } = await turn.askPermission({ ...edit, always: true });
  if (!allowed) throw new Explained("All right, I left the file unchanged.");
  if (always) {
    turn.session.state.mode = "auto";
    await turn.mode("auto");
  }
  await toolCall.progress();
  return toolCall;
}

function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** Explains on v2 why unsaved changes are missing. */
function sourceOf({ client }: DemoTurn): string {
  if (client.protocolVersion === 1) return "";
  return " ACP v2 has no files of the client, so I used the disk: unsaved changes are missing.";
}

function mustBeAbleToChange({ session }: DemoTurn): void {
  if (session.state.mode === "read-only")
    throw new Explained("The mode is read-only, so I cannot do that.", "refusal");
}

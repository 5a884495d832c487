import { relative } from "node:path";
import type { ToolCallContent } from "../../acp/index.ts";
import { inWorkspace, readThrough, writeThrough, type DemoTurn } from "../files.ts";
import { without, type Command } from "./command.ts";

const SHOWN_CHARS = 4000;

/** Commands that work on the user's machine, through the client where it offers to. */
export const tools: readonly Command[] = [
  {
    name: "read",
    description: "Reads a file through the client",
    hint: "path [line] [limit]",
    async run(turn, rest) {
      const [typed = "", line, limit] = rest.split(/\s+/);
      const path = await resolved(turn, typed);
      if (path === undefined) return;
      const place = line === undefined ? {} : { line: Number(line) };
      const call = await turn.toolCall({
        title: `Read ${typed}`,
        kind: "read",
        locations: [{ path, ...place }],
      });
      const range = { ...place, ...(limit === undefined ? {} : { limit: Number(limit) }) };
      const asked = turn.client.can("fs.readTextFile") && Object.keys(range).length > 0;
      const text = asked ? await turn.readFile(path, range) : await readThrough(turn, path);
      if (text === undefined) {
        await call.fail();
        await turn.say(`I cannot read ${typed}.`);
        return;
      }
      const shown = text.slice(0, SHOWN_CHARS);
      await call.complete({
        content: [{ type: "content", content: { type: "text", text: shown } }],
      });
      await turn.say(
        `${typed} has ${text.split("\n").length} lines and ${text.length} characters.`,
      );
    },
  },
  {
    name: "edit",
    description: "Adds a line to a file: shows the diff, asks, and writes through the client",
    hint: "path text",
    async run(turn, rest) {
      const [, typed = "", text = ""] = /^(\S+)\s*(.*)$/s.exec(rest) ?? [];
      const path = await resolved(turn, typed);
      if (path === undefined) return "end_turn";
      const oldText = await readThrough(turn, path);
      const base = oldText === undefined || oldText.endsWith("\n") ? oldText : `${oldText}\n`;
      const newText = `${base ?? ""}${text || "A line from the demo agent."}\n`;
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
        await writeThrough(turn, path, newText);
        await call.complete();
      } else {
        const asked = await turn.askPermission({ ...edit, always: true });
        if (!asked.allowed) {
          await turn.say("Then I leave it as it is.");
          return "end_turn";
        }
        if (asked.always) await switchToAuto(turn);
        await asked.toolCall.progress();
        await writeThrough(turn, path, newText);
        await asked.toolCall.complete();
      }
      await turn.say(`${relative(turn.session.cwd, path)} has one more line.`);
      return "end_turn";
    },
  },
  {
    name: "run",
    description: "Runs a command in a terminal of the client's",
    hint: "command line",
    async run(turn, rest) {
      if (!turn.client.can("terminal")) {
        await without(turn, "terminal");
        return "end_turn";
      }
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
      if (turn.session.state.mode === "ask" && !(await call.askPermission()).allowed) {
        await call.fail();
        await turn.say("Then I do not run it.");
        return "end_turn";
      }
      const { cwd } = turn.session;
      const terminal = await turn.terminal({ command, args, cwd, outputByteLimit: 100_000 });
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

/** The typed path in the workspace; says so if there is none. */
async function resolved(turn: DemoTurn, typed: string): Promise<string | undefined> {
  const path = typed === "" ? undefined : inWorkspace(turn, typed);
  if (path === undefined) {
    await turn.say(typed === "" ? "Which file?" : `${typed} is not in the workspace.`);
  }
  return path;
}

/** In the mode `read-only` nothing is changed. */
async function mayChange(turn: DemoTurn): Promise<boolean> {
  if (turn.session.state.mode !== "read-only") return true;
  await turn.say("The mode is read-only, so I refuse.");
  return false;
}

async function switchToAuto(turn: DemoTurn): Promise<void> {
  turn.session.state.mode = "auto";
  await turn.mode("auto");
}

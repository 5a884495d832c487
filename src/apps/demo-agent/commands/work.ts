import { setTimeout as wait } from "node:timers/promises";
import type { AgentSession, ToolCallHandle } from "../../../agent/index.ts";
import type { Conversation } from "../conversation.ts";
import { numberAt, type Command } from "./command.ts";

const DEFAULT_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 3_600_000;

/** Commands about work that is not part of a turn, and terminals of the agent. */
export const work: readonly Command[] = [
  {
    name: "background",
    description: "Starts a tool call that goes on after the turn, and that the client may cancel",
    hint: "milliseconds",
    async run(turn, rest) {
      const pause = numberAt(rest, 0, DEFAULT_PAUSE_MS, MAX_PAUSE_MS);
      const call = await turn.toolCall({
        title: `Wait ${pause} ms`,
        kind: "other",
        background: true,
        canCancel: true,
      });
      void finishLater(call, pause);
      await turn.say("It goes on in the background.");
    },
  },
  {
    name: "later",
    description: "Works by itself some time after the turn",
    hint: "milliseconds",
    async run(turn, rest) {
      void workLater(turn.session, numberAt(rest, 0, DEFAULT_PAUSE_MS, MAX_PAUSE_MS));
      await turn.say("I will be back.");
    },
  },
  {
    name: "report",
    description: "Reports a terminal whose output it has already",
    async run(turn) {
      const call = await turn.toolCall({ title: "Show a recorded command", kind: "execute" });
      const terminal = await call.reportTerminal({ command: "echo hello" });
      await terminal.write("hello\n");
      await terminal.exit({ exitCode: 0 });
      await call.complete();
      await turn.say("That was the terminal.");
    },
  },
];

async function finishLater(call: ToolCallHandle, pause: number): Promise<void> {
  try {
    await wait(pause, undefined, { signal: call.signal, ref: false });
    await call.complete();
  } catch {
    // The client cancelled it, the session was closed, or the client is gone.
    if (!call.settled) await call.cancel().catch(() => {});
  }
}

async function workLater(session: AgentSession<Conversation>, pause: number): Promise<void> {
  await wait(pause, undefined, { ref: false });
  try {
    await session.work((own) => own.say("I am back, without being asked."));
  } catch {
    // The session was closed, or the client is gone.
  }
}

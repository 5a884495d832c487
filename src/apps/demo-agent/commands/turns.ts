import { once } from "node:events";
import { RpcError } from "../../../transport/rpc/index.ts";
import { numberAt, type Command, saying } from "./command.ts";
import { setTimeout as wait } from "node:timers/promises";
import type { AgentSession, ToolCallHandle } from "../../../agent/index.ts";
import type { Conversation } from "../conversation.ts";

const CRASH_CODE = 70;

/** Commands that show how a turn can end. */
export const endings: readonly Command[] = [
  saying("refuse", "Ends the turn with the stop reason refusal", "I would rather not.", "refusal"),
  saying(
    "max-tokens",
    "Ends the turn with the stop reason max_tokens",
    "I ran out of tok",
    "max_tokens",
  ),
  saying(
    "max-requests",
    "Ends the turn with the stop reason max_turn_requests",
    "I have called my model too many times.",
    "max_turn_requests",
  ),
  {
    name: "error",
    description: "Answers the prompt with a JSON-RPC error",
    hint: "code",
    async run(turn, rest) {
      await turn.say("Something is about to go wrong.");
      const code = Number(rest || "-32603");
      throw new RpcError(Number.isInteger(code) ? code : -32603, "It failed, as requested", {
        asked: true,
      });
    },
  },
  {
    name: "crash",
    description: "Ends the agent's process in the middle of the turn",
    hint: "exit code",
    async run(turn, rest, { exit }) {
      await turn.say("Goodbye.");
      process.stderr.write("demo agent: crashing, as requested\n");
      exit(numberAt(rest, 0, CRASH_CODE, 255));
    },
  },
  {
    name: "hang",
    description: "Does nothing until the turn is cancelled",
    async run(turn) {
      await turn.say("Cancel me.");
      if (!turn.signal.aborted) await once(turn.signal, "abort");
      return "cancelled";
    },
  },
];

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

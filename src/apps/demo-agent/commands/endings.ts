import { once } from "node:events";
import { RpcError } from "../../../transport/rpc/index.ts";
import { numberAt, type Command } from "./command.ts";

const CRASH_CODE = 70;

/** Commands that show how a turn can end. */
export const endings: readonly Command[] = [
  {
    name: "refuse",
    description: "Ends the turn with the stop reason refusal",
    async run(turn) {
      await turn.say("I would rather not.");
      return "refusal";
    },
  },
  {
    name: "max-tokens",
    description: "Ends the turn with the stop reason max_tokens",
    async run(turn) {
      await turn.say("I ran out of tok");
      return "max_tokens";
    },
  },
  {
    name: "max-requests",
    description: "Ends the turn with the stop reason max_turn_requests",
    async run(turn) {
      await turn.say("I have called my model too many times.");
      return "max_turn_requests";
    },
  },
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

// Our agent toolkit, each update awaited.
import { serveAgent, stdioChannel } from "../../dist/agent.js";
import { measure, word } from "./agent-report.mjs";

const count = Number(process.argv[2]);
let done = () => {};
await serveAgent(stdioChannel(), {
  info: { name: "bench", version: "0" },
  newSession: () => ({}),
  async prompt(turn) {
    done = measure();
    for (let i = 0; i < count; i++) await turn.say(word(i));
    setImmediate(done);
  },
});

// An agent in a worker of the page, over a message port.
import { serveAgent } from "dragoman/agent";
import { messagePortChannel } from "dragoman/wire";

const agent = {
  info: { name: "worker", version: "1.0.0" },
  localWorkspaces: false,
  newSession: () => ({}),
  async prompt(turn) {
    const text = await turn.readFile("/page/notes.md");
    await turn.say(text.toUpperCase());
  },
};

addEventListener("message", ({ data: port }) => {
  void serveAgent(messagePortChannel(port), agent).then(({ kind }) => postMessage(kind));
});

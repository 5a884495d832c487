/** An agent in twenty lines: it counts the lines of the files you name, and adds one if you let it. */
import { join } from "node:path";
import { serveAgent, stdioChannel } from "dragoman/agent";

await serveAgent(stdioChannel(), {
  info: { name: "line-counter", version: "1.0.0" },
  newSession: ({ cwd }) => ({ cwd, counted: 0 }),
  async prompt(turn) {
    const path = join(turn.session.state.cwd, turn.text.trim());
    const oldText = await turn.readFile(path);
    turn.session.state.counted++;
    await turn.say(`${turn.text.trim()} has ${oldText.split("\n").length} lines.`);

    const newText = `${oldText}counted\n`;
    const content = [{ type: "diff", path, oldText, newText } as const];
    const answer = await turn.askPermission({ title: `Edit ${path}`, kind: "edit", content });
    if (!answer.allowed) return "refusal";
    await turn.writeFile(path, newText);
    return "end_turn";
  },
});

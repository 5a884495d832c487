import type { Session } from "../../client/index.ts";
import { during } from "../connect/connect.ts";
import type { RunningAgent } from "../connect/running-agent.ts";
import { CliError } from "../exit.ts";
import { cutToColumns } from "../render/terminal/columns.ts";
import type { Context } from "../run/context.ts";
import { discardSession } from "../session/discard.ts";
import { sessionFolder, setMode, setModel } from "../session/session.ts";
import type { Report } from "./report.ts";

/** A prompt that any agent answers at once and without tools. */
const QUESTION = "Reply with the word ok and nothing else. Do not use any tools.";

const SHOWN_COLUMNS = 40;

/**
 * Opens a session, with the mode and the model of this run, and with `--prompt` sends a prompt. Leaves no
 * session behind where the agent can delete it.
 */
export async function probeSession(
  report: Report,
  context: Context,
  connected: RunningAgent,
): Promise<void> {
  const { client } = connected;
  const { values } = context;
  let opened: Session | undefined;
  try {
    const session = await report.run("session", async () => {
      const value = await during(context, connected, "session", async (signal) => {
        const cwd = sessionFolder(context, connected);
        opened = await client.newSession({ cwd, signal });
        const [mode, model] = [values.text("mode"), values.text("model")];
        if (mode !== undefined) await setMode(opened, mode);
        if (model !== undefined) await setModel(opened, model);
        return opened;
      });
      const methods = client.agent.authMethods.map(({ id }) => id).join(", ");
      const offered = methods === "" ? "" : ` (available logins: ${methods})`;
      return { value, detail: `opened without a login${offered}` };
    });
    if (values.flag("prompt")) {
      await report.run("prompt", async () => ({
        value: undefined,
        detail: await answerOf(context, connected, session),
      }));
    }
  } finally {
    if (opened !== undefined) await discardSession(context, connected, opened);
  }
}

/** Sends the prompt. Throws a CliError unless the agent answers it. */
async function answerOf(
  context: Context,
  connected: RunningAgent,
  session: Session,
): Promise<string> {
  let text = "";
  const stopReason = await during(context, connected, "turn", async (signal) => {
    const turn = session.prompt([{ type: "text", text: QUESTION }]);
    signal.addEventListener("abort", () => void turn.cancel(), { once: true });
    for await (const update of turn) if (text.length < 1000) text += update.text;
    return (await turn.result).stopReason;
  });
  const answer = text.trim().replace(/\s+/g, " ");
  if (stopReason !== "end_turn" || answer === "") {
    const how =
      answer === "" ? "without any text" : `with "${cutToColumns(answer, SHOWN_COLUMNS)}"`;
    const what = `${connected.agent.name} answered a prompt ${how} (${stopReason})`;
    throw new CliError("agentError", { what });
  }
  return `answered "${cutToColumns(answer, SHOWN_COLUMNS)}"`;
}

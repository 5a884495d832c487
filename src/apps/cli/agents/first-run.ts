import { join } from "node:path";
import { stateFolder, writeAtomically, messageOf } from "../../../base/index.ts";
import type { Renderer } from "../render/renderer.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";
import { askBeforeStart, type Context } from "../context/context.ts";
import { editSettings } from "../settings/edit.ts";
import { readIfPresent } from "../settings/files.ts";
import type { AgentChoice } from "./select.ts";

/** The parts of the context that the choice of an agent needs. */
export type ChoiceContext = Omit<Context, "renderer"> & {
  readonly renderer: Pick<Renderer, "note">;
};

/**
 * The question of the first run with several installed agents; undefined if it must not be asked. A
 * question would surprise in a script, so stdout must be a terminal.
 */
export function firstRunQuestion(context: ChoiceContext): AgentChoice["ask"] {
  const { asker, io, mode } = context;
  const isForPeople = mode === "text" || mode === "simple";
  if (asker === undefined || !io.stdout.isTty || !isForPeople) return undefined;
  return (installed) => ask(context, installed);
}

/** Asks once: after an answer, or a refusal to answer, later runs print a note instead. */
async function ask(
  context: ChoiceContext,
  installed: readonly string[],
): Promise<string | undefined> {
  const { io, renderer } = context;
  const asked = join(stateFolder(io), "asked-for-agent");
  if ((await readIfPresent(asked).catch(() => undefined)) !== undefined) return undefined;
  const answer = await askBeforeStart(context, async (dialogue) => {
    dialogue.say("Several agents are installed:");
    dialogue.say(...installed.map((name, index) => `  ${index + 1}  ${sanitiseLine(name)}`));
    const read = (line: string): string | undefined =>
      line === "" ? installed[0] : (installed[Number(line) - 1] ?? named(line, installed));
    const retry = `Please answer with a number from 1 to ${installed.length}.`;
    const name = await dialogue.until("Which one do you want to use? [1] ", read, retry);
    if (name === undefined) return undefined;
    return {
      name,
      save: await dialogue.confirm(`Make ${sanitiseLine(name)} your default agent?`, true),
    };
  });
  await writeAtomically(asked, `${new Date(io.now()).toISOString()}\n`).catch(() => {});
  if (answer?.save === true) {
    try {
      const file = await editSettings(context, ["default_agent"], answer.name);
      renderer.note(`saved default_agent in ${file}`);
    } catch (error) {
      renderer.note(`could not save default_agent: ${messageOf(error)}`);
    }
  }
  return answer?.name;
}

function named(line: string, installed: readonly string[]): string | undefined {
  return installed.find((name) => name === line);
}

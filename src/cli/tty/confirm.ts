import type { Interrupts } from "../run/interrupts.ts";
import type { Asker } from "./asker.ts";

/**
 * Asks a question that is answered with yes or no, after these lines; Enter means no. The caller has
 * sanitised the text. Throws the error of a signal that arrives meanwhile.
 */
export async function confirm(
  asker: Asker,
  interrupts: Interrupts,
  lines: readonly string[],
  question: string,
): Promise<boolean> {
  const controller = new AbortController();
  const stop = interrupts.listen({ first: () => controller.abort() });
  try {
    const answer = await asker.ask(controller.signal, (dialogue) => {
      dialogue.say(...lines);
      const read = (line: string): boolean | undefined =>
        /^y(es)?$/i.test(line) ? true : /^(no?)?$/i.test(line) ? false : undefined;
      return dialogue.until(`${question} [y/N] `, read, "Please answer y or n.");
    });
    const interrupted = interrupts.error();
    if (interrupted !== undefined) throw interrupted;
    return answer === true;
  } finally {
    stop();
  }
}

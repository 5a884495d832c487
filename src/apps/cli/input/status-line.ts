import type { Session } from "../../../client/index.ts";
import type { UsageFacts } from "../render/renderer.ts";
import { columnsOf, cutToColumns } from "../render/terminal/columns.ts";
import { sanitizeLine } from "../../../base/index.ts";
import { configOptionOf } from "../session/session.ts";
import { listedChoices } from "../render/text/listings.ts";

/** Everything that the status line shows. Values that are not known are left out. */
export interface StatusFacts {
  readonly agent: string;
  readonly model: string | undefined;
  readonly mode: string | undefined;
  readonly usage: UsageFacts | undefined;
}

const SEPARATOR = " · ";

/** The line below the editor: as many facts as fit, in the order of their importance. Pure. */
export function statusLine({ agent, model, mode, usage }: StatusFacts, columns: number): string {
  const parts = [agent, model, mode, contextText(usage), costText(usage)].flatMap((part) =>
    part === undefined || part === "" ? [] : [sanitizeLine(part)],
  );
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : `${line}${SEPARATOR}${part}`;
    if (columnsOf(longer) > columns) return line === "" ? cutToColumns(part, columns) : line;
    line = longer;
  }
  return line;
}

/** The facts of a session. `usage` is the one of the last turn, for agents that report no other. */
export function statusOf(
  agent: string,
  session: Pick<Session, "configOptions" | "modes" | "contextUsage">,
  usage: UsageFacts | undefined,
): StatusFacts {
  const { modes } = session;
  const mode = modes?.availableModes.find(({ id }) => id === modes.currentModeId);
  return {
    agent,
    model: valueName(session, "model"),
    mode: valueName(session, "mode") ?? mode?.name ?? modes?.currentModeId,
    usage: session.contextUsage ?? usage,
  };
}

/** The agent's name for the current value of an option. */
function valueName(session: Pick<Session, "configOptions">, category: string): string | undefined {
  const option = configOptionOf(session, category);
  if (option === undefined) return undefined;
  const current = String(option.currentValue);
  return listedChoices(option).find(({ id }) => id === current)?.name || current;
}

const THOUSAND = 1000;
const PERCENT = 100;

function contextText(usage: UsageFacts | undefined): string | undefined {
  const { used, size = 0 } = usage ?? {};
  if (used === undefined) return undefined;
  if (size <= 0) return `${count(used)} tokens`;
  const share = Math.round((used / size) * PERCENT);
  return `${share} % of ${count(size)} tokens`;
}

function count(tokens: number): string {
  if (tokens < THOUSAND) return String(tokens);
  const thousands = tokens / THOUSAND;
  return thousands < THOUSAND
    ? `${thousands < 10 ? thousands.toFixed(1) : Math.round(thousands)}k`
    : `${(thousands / THOUSAND).toFixed(1)}M`;
}

function costText(usage: UsageFacts | undefined): string | undefined {
  if (usage?.cost === undefined) return undefined;
  const { amount, currency } = usage.cost;
  return `${amount.toFixed(amount < 1 ? 3 : 2)} ${currency}`;
}

import { pageOption } from "../shell/option-values.ts";
import { usageError } from "../shell/exit.ts";
import type { Context } from "../context/context.ts";

/** Starts the page of `--inspect`, once. Throws a usage error if that fails, and for options without it. */
export async function openInspection(context: Context, name: string): Promise<void> {
  const { values, inspector } = context;
  if (!values.flag("inspect")) {
    const idle = pageOption(values);
    if (idle !== undefined) throw usageError(`--${idle} needs --inspect`);
    return;
  }
  if (inspector) return;
  const { openInspector } = await import("../inspect/inspector.ts");
  context.inspector = await openInspector(context);
  await context.inspector.announce(name);
}

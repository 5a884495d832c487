import type { Environment, Output } from "../../shell/io.ts";

/** The facts that decide whether answers are rendered. */
export interface MarkdownChoice {
  /** Whether `--raw` was given. */
  readonly raw: boolean;
  /** The setting `markdown`; undefined if the settings do not say. */
  readonly setting: boolean | undefined;
  readonly env: Environment;
  readonly output: Pick<Output, "isTty">;
}

/**
 * Whether the answer is rendered as Markdown: only on a terminal that understands control sequences. A
 * pipe gets exactly the bytes of the agent.
 */
export function rendersMarkdown({ raw, setting, env, output }: MarkdownChoice): boolean {
  return output.isTty && !raw && setting !== false && env["TERM"] !== "dumb";
}

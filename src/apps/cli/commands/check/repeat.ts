import type { CheckedSide } from "../../../../conformance/index.ts";
import { joinCommandLine } from "../../../../base/index.ts";
import type { Values } from "../../shell/parse.ts";

/** The options that decide what happens in a case. The others choose cases, or where reports go. */
const KEPT: ReadonlySet<string> = new Set([
  "agent",
  "agent-url",
  "token-file",
  "settings",
  "protocol",
  "auth",
  "model",
  "model-env",
  "prompts",
  "driver",
  "recordings",
]);

/** The command line that repeats one case alone, with `@ID@` in place of its id. Pure. */
export function repeatLine(values: Values, side: CheckedSide, rest: readonly string[]): string {
  const options = values
    .given()
    .filter(([name]) => KEPT.has(name))
    .flatMap(([name, value]) => [
      name === "agent" ? "-a" : `--${name}`,
      ...(value === undefined ? [] : [value]),
    ]);
  return joinCommandLine([
    "dragoman",
    "check",
    ...(side === "client" ? ["client"] : []),
    ...options,
    "--only",
    "@ID@",
    ...(rest.length === 0 ? [] : ["--", ...rest]),
  ]);
}

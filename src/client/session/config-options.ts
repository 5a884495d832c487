import type { SessionConfigOption } from "../../protocol/acp/index.ts";
import { InvalidArgumentError } from "../errors.ts";

/** The values that a config option can have, as text, with groups flattened. */
export function configOptionValues(option: SessionConfigOption): readonly string[] {
  if (option.type !== "select") return ["true", "false"];
  return option.options.flatMap((entry) =>
    "options" in entry ? entry.options.map(({ value }) => value) : [entry.value],
  );
}

/** Throws InvalidArgumentError unless the option can have the value. */
export function assertValue(option: SessionConfigOption, value: string | boolean): void {
  if ((option.type === "boolean") !== (typeof value === "boolean")) {
    throw new InvalidArgumentError(`the config option "${option.id}" is of type ${option.type}`);
  }
  const known = configOptionValues(option);
  if (known.includes(String(value))) return;
  throw new InvalidArgumentError(
    `unknown value "${value}" of the config option "${option.id}"; the agent offers: ${known.join(", ")}`,
  );
}

import type { SessionConfigOption } from "../../protocol/acp/index.ts";
import type { Client } from "../connection/client.ts";
import { mustBeOneOf } from "../errors.ts";

/** The options to show a client. Only clients that support boolean options get them. */
export function shownOptions(
  options: readonly SessionConfigOption[],
  client: Pick<Client, "can">,
): SessionConfigOption[] {
  const booleans = client.can("session.configOptions.boolean");
  return options.filter((option) => booleans || option.type !== "boolean");
}

/** Describes why an option cannot take a value; undefined if it can. */
export function valueFault(
  option: SessionConfigOption,
  value: string | boolean,
): string | undefined {
  if (option.type === "boolean") {
    return typeof value === "boolean" ? undefined : "must be a boolean, sent with type boolean";
  }
  const values = option.options.flatMap((item) =>
    "group" in item ? item.options.map((inner) => inner.value) : [item.value],
  );
  if (typeof value === "string" && values.includes(value)) return undefined;
  return mustBeOneOf(values);
}

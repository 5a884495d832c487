import type { SessionConfigOption } from "../../acp/index.ts";
import type { Client } from "../connection/client-link.ts";

/** The options a client may see: booleans only go to clients that know them. */
export function shownOptions(
  options: readonly SessionConfigOption[],
  client: Pick<Client, "can">,
): SessionConfigOption[] {
  const booleans = client.can("session.configOptions.boolean");
  return options.filter((option) => booleans || option.type !== "boolean");
}

/** What is wrong with a value for an option; undefined when it may be set. */
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
  return `must be one of ${values.map((one) => `"${one}"`).join(", ")}`;
}

import { optionsFault } from "../base/index.ts";
import { InvalidArgumentError } from "./errors.ts";

/** Throws InvalidArgumentError for anything but an object with these options. */
export function assertOptions(given: unknown, names: object, where: string): void {
  const fault = optionsFault(given, names, where);
  if (fault !== undefined) throw new InvalidArgumentError(fault);
}

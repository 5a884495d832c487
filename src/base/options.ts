import { nearest } from "./nearest.ts";

/** The names of all options of `T`; of a union, those of every member. The compiler finds missing and extra ones. */
export type OptionNames<T> = Readonly<Record<NameOf<T>, true>>;

type NameOf<T> = T extends unknown ? keyof T & string : never;

/**
 * What is wrong with the options that a program without types passed to `where`: they are no object, or
 * one of them does not exist. Undefined if nothing is. A name that does not exist is wrong even if its
 * value is undefined or it starts with `_`. Class instances are not checked. Pure.
 */
export function optionsFault(given: unknown, names: object, where: string): string | undefined {
  if (typeof given !== "object" || given === null) return `${where}: the options must be an object`;
  const prototype: unknown = Object.getPrototypeOf(given);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(names, name)) return unknownOption(name, names, where);
  }
  return undefined;
}

function unknownOption(name: string, names: object, where: string): string {
  const near = nearest(name, Object.keys(names));
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return `${where}: unknown option "${name}"${hint}`;
}

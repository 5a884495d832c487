/** Some fields of `T`. A field that is absent or undefined keeps its default. */
export type Overrides<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** The fields of `T` that are not undefined. */
type DefinedFields<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Copies the fields that are not undefined, so that they can be spread over defaults. */
export function definedFields<T extends object>(given: T | undefined): DefinedFields<T> {
  const fields = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  const defined: DefinedFields<T> = Object.assign(
    {},
    ...fields.map(([key, value]) => ({ [key]: value })),
  );
  return defined;
}

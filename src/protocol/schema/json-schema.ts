/**
 * The type of the values that a JSON Schema describes, as far as TypeScript can tell: from `type`,
 * `properties`, `required`, `items`, `enum`, `const`, `anyOf` and `oneOf`. Anything else is `unknown`.
 */
export type FromJsonSchema<S> =
  S extends Readonly<Record<"const", infer C>>
    ? C
    : S extends Readonly<Record<"enum", readonly (infer E)[]>>
      ? E
      : S extends Readonly<Record<"anyOf", readonly (infer A)[]>>
        ? FromJsonSchema<A>
        : S extends Readonly<Record<"oneOf", readonly (infer A)[]>>
          ? FromJsonSchema<A>
          : S extends Readonly<Record<"type", infer T>>
            ? FromJsonSchemaType<T extends readonly (infer One)[] ? One : T, S>
            : unknown;

/** The type of the values that have one of these JSON types, in a schema. */
type FromJsonSchemaType<T, S> = T extends "string"
  ? string
  : T extends "number" | "integer"
    ? number
    : T extends "boolean"
      ? boolean
      : T extends "null"
        ? null
        : T extends "array"
          ? S extends Readonly<Record<"items", infer I>>
            ? FromJsonSchema<I>[]
            : unknown[]
          : T extends "object"
            ? S extends Readonly<Record<"properties", infer P>>
              ? FromJsonSchemaProperties<
                  P,
                  S extends Readonly<Record<"required", readonly (infer R)[]>> ? R : never
                >
              : Record<string, unknown>
            : unknown;

/** The type of the objects that have these properties, of which `R` are required. */
type FromJsonSchemaProperties<P, R> = {
  -readonly [K in keyof P as K extends R ? K : never]: FromJsonSchema<P[K]>;
} & {
  -readonly [K in keyof P as K extends R ? never : K]?: FromJsonSchema<P[K]> | undefined;
};

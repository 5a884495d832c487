/** Removes `readonly`, and shows the properties of an intersection as those of one object. */
type Plain<T> = { -readonly [K in keyof T]: T[K] };

type RequiredKeys<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;

type ObjectOf<S> = S extends { readonly properties: infer P }
  ? Plain<
      { [K in keyof P as K extends RequiredKeys<S> ? K : never]: FromJsonSchema<P[K]> } & {
        [K in keyof P as K extends RequiredKeys<S> ? never : K]?: FromJsonSchema<P[K]> | undefined;
      }
    >
  : Record<string, unknown>;

type ArrayOf<S> = S extends { readonly items: infer I } ? FromJsonSchema<I>[] : unknown[];

type OfType<T, S> = T extends "string"
  ? string
  : T extends "number" | "integer"
    ? number
    : T extends "boolean"
      ? boolean
      : T extends "null"
        ? null
        : T extends "array"
          ? ArrayOf<S>
          : T extends "object"
            ? ObjectOf<S>
            : unknown;

/**
 * The type of the values that a JSON Schema describes, as far as TypeScript can tell: from `type`,
 * `properties`, `required`, `items`, `enum`, `const`, `anyOf` and `oneOf`. Anything else is `unknown`.
 */
export type FromJsonSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] }
      ? FromJsonSchema<A>
      : S extends { readonly oneOf: readonly (infer A)[] }
        ? FromJsonSchema<A>
        : S extends { readonly type: readonly (infer T)[] }
          ? OfType<T, S>
          : S extends { readonly type: infer T }
            ? OfType<T, S>
            : unknown;

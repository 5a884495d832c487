import { atPlace } from "./faults.ts";

/** The outcome of a validation by a Standard Schema. */
type StandardSchemaResult<Output> =
  | {
      /** The valid value, with defaults and conversions applied. */
      readonly value: Output;
      /** Not set: the value is valid. */
      readonly issues?: undefined;
    }
  | {
      /** Everything that is wrong with the value. */
      readonly issues: readonly StandardSchemaIssue[];
    };

/** One fault of a value. */
export interface StandardSchemaIssue {
  readonly message: string;
  /** Where the fault is. Each step is a key, or an object that has one. */
  readonly path?:
    | readonly (
        | PropertyKey
        | {
            /** The key. */
            readonly key: PropertyKey;
          }
      )[]
    | undefined;
}

/**
 * A validator that follows Standard Schema, as those of zod, valibot and arktype do. If it also follows
 * Standard JSON Schema, as those of zod 4.2 and later do, its JSON Schema comes from there.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The properties that the standard defines. */
  readonly "~standard": {
    readonly version: 1;
    /** The library that the validator comes from. */
    readonly vendor: string;
    /** Validates a value. */
    readonly validate: (
      value: unknown,
    ) => StandardSchemaResult<Output> | Promise<StandardSchemaResult<Output>>;
    /** Exists only in the type: the types of the value before and after the validation. */
    readonly types?:
      | {
          /** The type before the validation. */
          readonly input: Input;
          /** The type after the validation. */
          readonly output: Output;
        }
      | undefined;
    /** The conversion to JSON Schema; undefined if the library has none. */
    readonly jsonSchema?:
      | {
          /** The JSON Schema of values before the validation. */
          readonly input: (options: {
            readonly target: "draft-2020-12";
          }) => Record<string, unknown>;
        }
      | undefined;
  };
}

/** Whether a value is a Standard Schema and not a JSON Schema. Some libraries use functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  return "~standard" in value;
}

/** One line per fault, each with its place: `items.0.price: expected number`. */
export function describeIssues(issues: readonly StandardSchemaIssue[]): string {
  return issues.map(({ path = [], message }) => atPlace(path.map(stepOf), message)).join("\n");
}

function stepOf(step: PropertyKey | { readonly key: PropertyKey }): PropertyKey {
  return typeof step === "object" ? step.key : step;
}

import {
  DragomanError,
  definedFields,
  type JsonObject,
  type OptionNames,
  optionsFault,
  quietly,
  toError,
  unlessAborted,
  isJsonObject,
} from "../base/index.ts";
import {
  type FromJsonSchema,
  type StandardSchema,
  compileSchema,
  describeIssues,
  isStandardSchema,
} from "../protocol/schema/index.ts";

/**
 * A tool or a tool server cannot be used. `code` is the reason: `invalid_argument` (the name or the
 * schema of a tool is not usable), `unavailable` (the transport cannot be opened here; `cause` has the
 * error behind it) or `closed` (the server was closed first).
 */
export class ToolServerError extends DragomanError {
  override readonly name = "ToolServerError";
}

/** The schema of a tool's arguments: a Standard Schema (zod, valibot, arktype) or a JSON Schema. */
export type ToolInput = StandardSchema | JsonObject;

/** The type of the arguments that a schema describes. */
type ToolArguments<Input> =
  Input extends StandardSchema<unknown, infer Output> ? Output : FromJsonSchema<Input>;

/** One block of a tool's output, as in MCP. */
type ToolContentBlock =
  | {
      /** Text for the model. */
      readonly type: "text";
      readonly text: string;
    }
  | {
      /** An image or a recording. */
      readonly type: "image" | "audio";
      /** In base64. */
      readonly data: string;
      /** The type of the data, such as `image/png`. */
      readonly mimeType: string;
    }
  | {
      /** A link to a resource. */
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      /** The type of the resource's data. */
      readonly mimeType?: string | undefined;
    };

/** The output of a tool, as the agent receives it. */
export interface ToolOutput {
  /** The blocks for the model. */
  readonly content: readonly ToolContentBlock[];
  /** The same as JSON, for agents that read it. */
  readonly structuredContent?: JsonObject | undefined;
  /** True if the tool failed. The content says why. */
  readonly isError?: boolean | undefined;
}

/**
 * Values that a tool may return. A string becomes a text block, and nothing becomes no block. If
 * `content` is missing, `structuredContent` is also sent as text, because not every agent reads it.
 */
export type ToolReturn =
  | string
  | undefined
  | void
  | {
      /** The blocks for the model. Default: `structuredContent` as text. */
      readonly content?: readonly ToolContentBlock[] | undefined;
      /** The output as JSON. */
      readonly structuredContent?: JsonObject | undefined;
      /** True if the tool failed. */
      readonly isError?: boolean | undefined;
    };

/** Hints about a tool. An agent may use them to decide whether it asks for permission. */
interface ToolHints {
  /** The tool changes nothing. */
  readonly readOnlyHint?: boolean | undefined;
  /** The tool may delete or overwrite something. */
  readonly destructiveHint?: boolean | undefined;
  /** A second call with the same arguments changes nothing more. */
  readonly idempotentHint?: boolean | undefined;
  /** The tool reaches systems outside this process, such as the web. */
  readonly openWorldHint?: boolean | undefined;
}

/** One call of a tool, as the tool sees it. */
export interface ToolRun {
  /**
   * Aborted when the agent cancels the call, when the turn is cancelled, and when the session closes.
   * The agent does not wait for the tool after that.
   */
  readonly signal: AbortSignal;
  /**
   * Reports progress to the agent, if it asked for it: how far the tool is, and out of how much. Does
   * nothing after the call has ended.
   */
  readonly progress: (progress: number, total?: number, message?: string) => void;
}

/** The definition of a tool. */
export interface ToolDefinition<Input extends ToolInput> {
  /** The name for the model: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** A name to show to people. */
  readonly title?: string | undefined;
  /** Tells the model what the tool does and when to use it. */
  readonly description: string;
  /** The schema of the arguments, which must describe an object. */
  readonly input: Input;
  /** The JSON Schema of `input`, for a Standard Schema that cannot be converted to one. */
  readonly jsonSchema?: JsonObject | undefined;
  /** Hints for the agent. They promise nothing, and the agent may ignore them. */
  readonly hints?: ToolHints | undefined;
  /**
   * Does the work. The arguments are valid. An error that it throws goes to the model as text, so that
   * the model can react to it.
   */
  readonly run: (args: ToolArguments<Input>, run: ToolRun) => ToolReturn | PromiseLike<ToolReturn>;
}

/** Options of one call of {@link Tool.call}. */
interface ToolCallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the progress that the tool reports. */
  readonly onProgress?: ToolRun["progress"] | undefined;
}

/** A tool that an agent can call. */
export interface Tool {
  /** The name for the model. */
  readonly name: string;
  /** A name to show to people. */
  readonly title: string | undefined;
  /** Tells the model what the tool does. */
  readonly description: string;
  /** The JSON Schema of the arguments. */
  readonly inputSchema: JsonObject;
  /** Hints for the agent. */
  readonly hints: ToolHints | undefined;
  /**
   * Validates the arguments and runs the tool. Never rejects: invalid arguments, an error of the tool
   * and an abort become an output with `isError`. An abort does not wait for the tool.
   */
  call(args: unknown, options?: ToolCallOptions): Promise<ToolOutput>;
}

const TOOL_OPTIONS: OptionNames<ToolDefinition<ToolInput>> = {
  name: true,
  title: true,
  description: true,
  input: true,
  jsonSchema: true,
  hints: true,
  run: true,
};

/** Model APIs accept no other names. */
const TOOL_NAME = /^[\w-]{1,64}$/;

/**
 * Defines a tool. The type of the arguments comes from the schema. Throws ToolServerError if the name
 * or the schema cannot be used.
 */
export function defineTool<const Input extends ToolInput>(definition: ToolDefinition<Input>): Tool {
  const fault = optionsFault(definition, TOOL_OPTIONS, "defineTool");
  if (fault !== undefined) throw new ToolServerError("invalid_argument", fault);
  const { name, title, description, input, jsonSchema, hints } = definition;
  if (!TOOL_NAME.test(name)) {
    const why = "the name of a tool has 1 to 64 letters, digits, _ and -";
    throw new ToolServerError("invalid_argument", `the tool "${name}": ${why}`);
  }
  const schema = inputSchema(`the tool "${name}"`, input, jsonSchema);
  const isValid = (_: unknown, problems: string): _ is ToolArguments<Input> => problems === "";
  const call = async (args: unknown, options: ToolCallOptions): Promise<ToolOutput> => {
    const signal = options.signal ?? new AbortController().signal;
    let isOver = false;
    const run: ToolRun = {
      signal,
      progress: (...report) => {
        if (!isOver) options.onProgress?.(...report);
      },
    };
    try {
      const work = async (): Promise<ToolOutput> => {
        const { value, problems } = await schema.validate(args);
        // The first check loads the validator, and the call may be aborted meanwhile.
        signal.throwIfAborted();
        if (!isValid(value, problems)) {
          return failure(`Invalid arguments for ${name}:\n${problems}`);
        }
        return toOutput(await definition.run(value, run));
      };
      return await unlessAborted(signal.aborted ? never() : work(), signal);
    } catch (error) {
      return failure(toError(error).message);
    } finally {
      isOver = true;
    }
  };
  return {
    name,
    title,
    description,
    inputSchema: schema.json,
    hints,
    call: (args, options = {}) => quietly(() => call(args ?? {}, options)),
  };
}

function never(): Promise<never> {
  return new Promise(() => {});
}

function failure(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}

/** Throws if the structured content is not JSON. */
function toOutput(value: ToolReturn): ToolOutput {
  if (value === undefined) return { content: [] };
  if (typeof value === "string") return { content: [{ type: "text", text: value }] };
  const { structuredContent, isError } = value;
  return {
    content: value.content ?? asText(structuredContent),
    ...definedFields({ structuredContent, isError }),
  };
}

function asText(structured: JsonObject | undefined): readonly ToolContentBlock[] {
  return structured ? [{ type: "text", text: JSON.stringify(structured) }] : [];
}

/** A value after its validation, and what is wrong with it, one problem per line. It is valid if nothing is. */
interface Validated {
  readonly value: unknown;
  readonly problems: string;
}

/** A schema of objects in both forms: for the model, and as a check. */
interface InputSchema {
  readonly json: JsonObject;
  /** Rejects if the schema cannot be used, or if the validator of a Standard Schema throws. */
  readonly validate: (value: unknown) => Promise<Validated>;
}

/**
 * `json` is the JSON Schema for a Standard Schema that has none. Throws ToolServerError if there is no
 * JSON Schema, or if it does not describe an object.
 */
function inputSchema(what: string, schema: ToolInput, json: JsonObject | undefined): InputSchema {
  if (isStandardSchema(schema)) {
    return {
      json: describesObject(what, json ?? jsonSchemaOf(what, schema)),
      validate: (value) => byStandardSchema(schema, value),
    };
  }
  const own = describesObject(what, schema);
  let compiled: ReturnType<typeof compileSchema> | undefined;
  return {
    json: own,
    validate: async (value) => {
      compiled ??= compileSchema(own);
      const validate = await compiled;
      return { value, problems: validate(value).join("\n") };
    },
  };
}

async function byStandardSchema(schema: StandardSchema, value: unknown): Promise<Validated> {
  const result = await schema["~standard"].validate(value);
  if (!result.issues) return { value: result.value, problems: "" };
  return { value, problems: describeIssues(result.issues) || "invalid" };
}

function jsonSchemaOf(what: string, schema: StandardSchema): JsonObject {
  const { jsonSchema, vendor } = schema["~standard"];
  if (!jsonSchema) {
    const why = `the schema (${vendor}) has no JSON Schema: pass one as jsonSchema`;
    throw new ToolServerError("invalid_argument", `${what}: ${why}`);
  }
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch (cause) {
    const why = `the schema (${vendor}) cannot be converted to JSON Schema: pass one as jsonSchema`;
    throw new ToolServerError("invalid_argument", `${what}: ${why}`, { cause });
  }
}

/** MCP allows only schemas of objects. `$schema` is left out, because some model APIs reject it. */
function describesObject(what: string, schema: JsonObject): JsonObject {
  if (!isJsonObject(schema) || schema["type"] !== "object") {
    const why = 'the JSON Schema of the input must have the type "object"';
    throw new ToolServerError("invalid_argument", `${what}: ${why}`);
  }
  const { $schema: _, ...rest } = schema;
  return rest;
}

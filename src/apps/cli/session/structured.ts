import type { ContentBlock } from "../../../protocol/acp/index.ts";
import {
  AnswerMismatchError,
  prepareSchema,
  requestAnswer,
  SchemaError,
} from "../../../protocol/schema/index.ts";
import { isJsonObject, messageOf } from "../../../base/index.ts";
import { countOption, failOnOption } from "../shell/option-values.ts";
import { CliError, usageError } from "../shell/exit.ts";
import { absolute } from "../prompt/mentions.ts";
import { MIB, readGivenFile } from "../shell/regular-file.ts";
import type { Context } from "../context/context.ts";
import type { TurnSummary } from "./turn.ts";

/** The request for an answer that matches a schema. */
export type SchemaRequest = Awaited<ReturnType<typeof readSchema>>;

/** Reads the file of `--schema`. Throws a usage error if it is not a JSON Schema. */
export async function readSchema(context: Context) {
  const { values, io, mode, screen, renderer } = context;
  const file = values.text("schema") ?? "";
  const schema = await schemaIn(absolute(file, io), file);
  const retries = countOption(values, "schema-retries");
  const prepared = await prepareSchema({ schema }).catch((error: unknown) => {
    if (error instanceof SchemaError) throw usageError(`--schema ${file}: ${error.message}`);
    throw error;
  });
  return {
    /**
     * Asks until an answer matches, and prints it. `ask` runs a turn and throws if it fails. Throws a CliError
     * (`schema`) if no answer matches. Resolves with undefined if the turn stopped for a reason that `--fail-on`
     * names: that failure is reported later.
     */
    answer: async (
      blocks: readonly ContentBlock[],
      ask: (blocks: readonly ContentBlock[]) => Promise<TurnSummary>,
    ): Promise<{ readonly value: unknown } | undefined> => {
      try {
        const { value } = await requestAnswer(prepared, retries, async (attempt, instructions) => {
          if (attempt > 1)
            renderer.note(`the answer does not match the schema; attempt ${attempt}`);
          const text: ContentBlock = { type: "text", text: instructions };
          const outcome = await ask(attempt === 1 ? [...blocks, text] : [text]);
          if (outcome.stopReason !== "end_turn") throw new StoppedError(outcome.stopReason);
          return { text: outcome.finalMessage, result: outcome };
        });
        if (mode === "text" || mode === "simple") screen.json(`${JSON.stringify(value)}\n`);
        return { value };
      } catch (error) {
        if (error instanceof AnswerMismatchError) {
          const hint = "a higher --schema-retries, or a clearer prompt";
          throw new CliError("schema", { what: error.message, hint }, { cause: error });
        }
        if (!(error instanceof StoppedError)) throw error;
        if (error.reason !== undefined && failOnOption(values)(error.reason)) return undefined;
        throw new CliError("schema", { what: error.message });
      }
    },
  };
}

class StoppedError extends Error {
  readonly reason: string | undefined;

  constructor(reason: string | undefined) {
    super(`the turn stopped before its answer was complete: ${reason ?? "without a reason"}`);
    this.reason = reason;
  }
}

/** The JSON Schema in a file. Throws a usage error. */
export async function schemaIn(path: string, name: string): Promise<Record<string, unknown>> {
  const bytes = await readGivenFile(path, name, {
    maxBytes: MIB,
    what: "schema file",
  });
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw usageError(`--schema ${name} is not valid JSON: ${messageOf(error)}`);
  }
  if (isJsonObject(value)) return value;
  throw usageError(`--schema ${name} is not a JSON Schema: it must be an object`);
}

import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  AnswerMismatchError,
  type AnswerOf,
  type AnswerOptions,
  type AnswerSchema,
  prepareSchema,
  requestAnswer,
  SchemaError,
  type TypedAnswer,
} from "../../../src/protocol/schema/index.ts";

const json = {
  type: "object",
  properties: { n: { type: "number" }, tags: { type: "array", items: { type: "string" } } },
  required: ["n"],
} as const;

/** Answers with these texts, one after the other, and records the instructions. */
async function answered<const S extends AnswerSchema>(
  options: AnswerOptions<S>,
  ...texts: readonly string[]
): Promise<{ answer: TypedAnswer<AnswerOf<S>, number>; instructions: string[] }> {
  const instructions: string[] = [];
  const schema = await prepareSchema(options);
  const answer = await requestAnswer(schema, options.retries, async (attempt, text) => {
    instructions.push(text);
    return { text: texts[attempt - 1] ?? "", result: attempt };
  });
  return { answer, instructions };
}

describe("a typed answer", () => {
  it("has the type of a JSON schema that is declared as const", async () => {
    const { answer, instructions } = await answered({ schema: json }, '{"n": 1}');
    expectTypeOf(answer.value.n).toEqualTypeOf<number>();
    expectTypeOf(answer.value.tags).toEqualTypeOf<string[] | undefined>();
    expect(answer).toEqual({ value: { n: 1 }, text: '{"n": 1}', attempts: 1, result: 1 });
    expect(instructions[0]).toContain(JSON.stringify(json));
  });

  it("is what a zod schema returns, and the model sees its JSON schema", async () => {
    const schema = z.object({ n: z.number().transform((n) => `#${n}`), m: z.number().default(7) });
    const { answer, instructions } = await answered({ schema }, '{"n": 1}');
    expectTypeOf(answer.value).toEqualTypeOf<{ n: string; m: number }>();
    expect(answer.value).toEqual({ n: "#1", m: 7 });
    expect(instructions[0]).toContain('"n":{"type":"number"}');
  });

  it("needs no JSON schema: a valibot schema checks the answers", async () => {
    const schema = v.object({ n: v.pipe(v.number(), v.minValue(3)) });
    const { answer, instructions } = await answered({ schema }, '{"n": 1}', '{"n": 3}');
    expectTypeOf(answer.value).toEqualTypeOf<{ n: number }>();
    expect(answer).toMatchObject({ value: { n: 3 }, attempts: 2 });
    expect(instructions[0]).not.toContain("schema");
    expect(instructions[1]).toContain("- n: Invalid value: Expected >=3");
  });

  it("sends the faults of an answer back, with the schema", async () => {
    const { answer, instructions } = await answered(
      { schema: json },
      "I think it is one.",
      '{"n": "one"}',
      '{"n": 1}',
    );
    expect(answer).toMatchObject({ value: { n: 1 }, attempts: 3, result: 3 });
    expect(instructions[1]).toContain("- the answer is not valid JSON");
    expect(instructions[2]).toContain("- n: must be number");
    expect(instructions[2]).toContain(JSON.stringify(json));
  });

  it("rejects when the retries are used up", async () => {
    const failed = answered({ schema: json, retries: 1 }, "{}", '{"n": "x"}');
    await expect(failed).rejects.toThrow(AnswerMismatchError);
    await expect(failed).rejects.toMatchObject({
      faults: ["n: must be number"],
      answer: '{"n": "x"}',
      attempts: 2,
    });
    await expect(answered({ schema: json, retries: 0 }, "{}")).rejects.toMatchObject({
      attempts: 1,
    });
  });

  it("prefers the value that the agent itself read", async () => {
    const schema = await prepareSchema({ schema: json });
    const ask = async (): Promise<{ text: string; value: unknown; result: null }> => ({
      text: "not JSON",
      value: { n: 4 },
      result: null,
    });
    expect(await requestAnswer(schema, 0, ask)).toMatchObject({ value: { n: 4 } });
  });

  it("repeats why the agent itself rejected an answer", async () => {
    const schema = await prepareSchema({ schema: json });
    const ask = async (): Promise<{ text: string; fault: string; result: null }> => ({
      text: "",
      fault: "too short",
      result: null,
    });
    await expect(requestAnswer(schema, 0, ask)).rejects.toMatchObject({ faults: ["too short"] });
  });

  it("needs a usable schema", async () => {
    const broken = { type: "strange" };
    await expect(prepareSchema({ schema: broken })).rejects.toThrow(SchemaError);
    const date = z.object({ at: z.date() });
    await expect(prepareSchema({ schema: date })).rejects.toThrow("pass one as jsonSchema");
    expect(await prepareSchema({ schema: date, jsonSchema: json })).toMatchObject({ json });
  });
});

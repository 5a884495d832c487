import { describe, expect, it } from "vitest";
import {
  type AnswerCheck,
  type AnswerResult,
  typedAnswer,
} from "../../../src/protocol/schema/index.ts";

interface Options {
  readonly whenBusy?: "reject" | "wait" | undefined;
  readonly messageId?: string | undefined;
  readonly outputSchema?: object | undefined;
}
interface Result extends AnswerResult {
  readonly value?: unknown;
}
interface Image {
  readonly image: string;
}
type Content = string | Image | readonly (string | Image)[];

const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
} as const;

function answer(finalMessage: string): Result {
  return { stopReason: "end_turn", finalMessage };
}

/** A session that gives these results, and remembers its prompts. */
function sessionOf(...results: readonly Result[]) {
  const prompts: { readonly content: Content; readonly options: Options }[] = [];
  const prompt = (
    content: Content,
    options: Options = {},
  ): { readonly result: Promise<Result> } => {
    const result = results[prompts.length];
    prompts.push({ content, options });
    return { result: result ? Promise.resolve(result) : Promise.reject(new Error("no result")) };
  };
  return { session: { prompt }, prompts };
}

describe("a typed answer", () => {
  it("is the last message, with the schema in the prompt", async () => {
    const { session, prompts } = sessionOf(answer('{"city":"Rome"}'));
    const { value, attempts } = await typedAnswer(
      session,
      { image: "i" },
      { schema, messageId: "m" },
    );
    const { city }: { readonly city: string } = value;
    expect({ city, attempts }).toEqual({ city: "Rome", attempts: 1 });
    const [{ content, options } = { content: "", options: {} }] = prompts;
    expect(content).toEqual([{ image: "i" }, expect.stringContaining('"city"')]);
    expect(options).toMatchObject({ messageId: "m" });
  });

  it("is corrected in a turn that waits, without the message id of the first", async () => {
    const { session, prompts } = sessionOf(answer("Rome"), answer('{"city":"Rome"}'));
    const { attempts } = await typedAnswer(session, ["Which", "city?"], { schema, messageId: "m" });
    expect(attempts).toBe(2);
    expect(prompts[0]?.content).toHaveLength(3);
    expect(prompts[1]?.content).toContain("cannot be used");
    expect(prompts[1]?.options).toEqual({ whenBusy: "wait" });
  });

  it("needs a turn that ended with an answer", async () => {
    const failure = { message: "too many requests" };
    const failed = { stopReason: "rate_limit", finalMessage: "{}", failure };
    await expect(typedAnswer(sessionOf(failed).session, "x", { schema })).rejects.toMatchObject({
      code: "turn_incomplete",
      message: 'the turn gave no answer, it ended with "rate_limit": too many requests',
      result: failed,
    });
    const completed = { ...answer('{"city":"Rome"}'), stopReason: "completed" };
    const { result } = await typedAnswer(sessionOf(completed).session, "x", { schema });
    expect(result).toBe(completed);
  });

  it("rejects as the turn does", async () => {
    await expect(typedAnswer(sessionOf().session, "x", { schema })).rejects.toThrow("no result");
  });

  it("may be checked by the agent itself", async () => {
    const { session, prompts } = sessionOf(
      { stopReason: "error", finalMessage: "Rome", failure: { message: "no match" } },
      { ...answer("Here it is."), value: { city: "Rome" } },
    );
    const answerCheck = (outputSchema: object): AnswerCheck<Options, Result> => ({
      options: { outputSchema },
      read: ({ value, failure }) => (failure ? { fault: failure.message } : { value }),
    });
    const { value } = await typedAnswer({ ...session, answerCheck }, "Which city?", { schema });
    expect(value).toEqual({ city: "Rome" });
    expect(prompts[0]).toMatchObject({
      content: ["Which city?"],
      options: { outputSchema: schema },
    });
    expect(prompts[1]?.content).toContain("no match");
    expect(prompts[1]?.options.outputSchema).toEqual(schema);
  });

  it("takes only options and parts that the session knows", () => {
    const { session } = sessionOf();
    // @ts-expect-error: misspelled
    void typedAnswer(session, "x", { schema, whenBuzy: "wait" }).catch(() => {});
    // @ts-expect-error: not a part of a prompt
    void typedAnswer(session, { picture: "i" }, { schema }).catch(() => {});
  });
});

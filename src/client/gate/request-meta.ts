import { type Meta, metaField, metaOf } from "../../protocol/acp/index.ts";
import { isJsonObject } from "../../base/index.ts";

/** The `_meta` of a request from the agent, and of the answer to it. */
export interface RequestMeta {
  /** The `_meta` that the agent sent. */
  readonly meta: Meta | undefined;
  /** Sets the `_meta` of the answer. Call it before the request is answered; the last call counts. */
  readonly answerMeta: (meta: Meta) => void;
}

/** Answers a request: `work` gets its `_meta`, and the result gets the `_meta` that was set. */
export async function withAnswerMeta(
  params: unknown,
  work: (request: RequestMeta) => Promise<unknown>,
): Promise<unknown> {
  let answer: Meta | undefined;
  const result = await work({
    meta: metaOf(params),
    answerMeta: (meta) => {
      answer = meta;
    },
  });
  return isJsonObject(result) ? { ...result, ...metaField(answer) } : result;
}

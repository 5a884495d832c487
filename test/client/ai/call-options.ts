// Calls as the AI SDK makes them, and how it reads the answers.
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";

/** A call with one message from the user. */
export function ask(
  text: string,
  more: Partial<LanguageModelV4CallOptions> = {},
): LanguageModelV4CallOptions {
  return { prompt: [{ role: "user", content: [{ type: "text", text }] }], ...more };
}

/** A call that continues a conversation, as the AI SDK passes the answer back. */
export function follow(
  before: LanguageModelV4CallOptions,
  { content }: Pick<LanguageModelV4GenerateResult, "content">,
  text: string,
): LanguageModelV4CallOptions {
  const answer: LanguageModelV4Message = {
    role: "assistant",
    content: content.flatMap((part) =>
      part.type === "text"
        ? [
            {
              type: "text" as const,
              text: part.text,
              ...(part.providerMetadata && { providerOptions: part.providerMetadata }),
            },
          ]
        : [],
    ),
  };
  return { ...before, prompt: [...before.prompt, answer, ...ask(text).prompt] };
}

export function textOf(content: readonly LanguageModelV4Content[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The text of the answer to a call. */
export async function answerTo(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): Promise<string> {
  return textOf((await model.doGenerate(options)).content);
}

/** Reads a stream to its end. */
export async function readAll(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

import { isList, type JsonObject } from "../../base/index.ts";
import type { AnswerPrompt } from "../../protocol/schema/index.ts";
import type { AskUserHandler, DroidPermissionHandler } from "./requests.ts";

/** An image. Own-key models receive it only if their settings say that they support images. */
export interface PromptImage {
  /** Base64. */
  readonly data: string;
  /** The media type, such as `image/png`. */
  readonly mediaType: string;
}

/** A text file, or any other file as base64. A PDF reaches only models that support PDFs. */
export type PromptFile =
  | {
      readonly name: string;
      readonly text: string;
      /** The media type. Default: `text/plain`. */
      readonly mediaType?: string | undefined;
    }
  | {
      readonly name: string;
      /** The content in base64. */
      readonly data: string;
      /** The media type, such as `application/pdf`. */
      readonly mediaType: string;
    };

/** A prompt with attachments. Droid requires a text with them. */
export interface PromptInput {
  readonly text: string;
  /** The images. Default: none. */
  readonly images?: readonly PromptImage[] | undefined;
  /** The files. Default: none. */
  readonly files?: readonly PromptFile[] | undefined;
}

/** A prompt: a text, a text with attachments, or a list of both, whose texts a blank line separates. */
export type DroidPrompt = AnswerPrompt<PromptInput>;

/** Options for one prompt. */
export interface DroidPromptOptions {
  /** The id of the user message and of the turn. Default: a random id. */
  readonly messageId?: string | undefined;
  /** A JSON schema for the answer, which arrives in a `structured_output` event. Supported since 0.215. */
  readonly outputSchema?: JsonObject | undefined;
  /** Answers permission requests of this turn. Default: the handler of the session. */
  readonly onPermission?: DroidPermissionHandler | undefined;
  /** Answers questions of this turn. Default: the handler of the session. */
  readonly onAskUser?: AskUserHandler | undefined;
  /**
   * The behavior while another turn runs: `reject` rejects with a DroidBusyError at once, `wait` sends
   * the prompt once that turn is over. Default: `reject`.
   */
  readonly whenBusy?: "reject" | "wait" | undefined;
  /**
   * How long the turn may take, from the call on. Then it is cancelled, and rejects with a DroidError
   * (`timeout`). Default: 0, which means no limit.
   */
  readonly timeoutMs?: number | undefined;
  /** Cancels the turn when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The params of `add_user_message`. */
export function promptParams(
  prompt: DroidPrompt,
  messageId: string,
  outputSchema: JsonObject | undefined,
): JsonObject {
  const parts = (isList(prompt) ? prompt : [prompt]).map((part): PromptInput =>
    typeof part === "string" ? { text: part } : part,
  );
  const text = parts.map((part) => part.text).join("\n\n");
  const images = parts.flatMap((part) => part.images ?? []);
  const files = parts.flatMap((part) => part.files ?? []);
  return {
    text,
    messageId,
    ...(images.length === 0 ? {} : { images: images.map(imageParams) }),
    ...(files.length === 0 ? {} : { files: files.map(fileParams) }),
    ...(outputSchema && { outputFormat: { type: "json_schema", schema: outputSchema } }),
  };
}

function imageParams({ data, mediaType }: PromptImage): JsonObject {
  return { type: "base64", mediaType, data };
}

function fileParams(file: PromptFile): JsonObject {
  if ("text" in file) {
    const { name, text, mediaType = "text/plain" } = file;
    return { type: "text", mediaType, data: text, name };
  }
  return { type: "base64", mediaType: file.mediaType, data: file.data, name: file.name };
}

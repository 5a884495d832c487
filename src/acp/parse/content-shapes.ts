import { isJsonObject } from "../../wire/index.ts";
import { both, natural, object, optional, type Shape, tagged, text } from "./shape.ts";

/*
 * The shapes of content blocks and of the parts of a tool call. The guards accept any value with the
 * required fields. The checks of params also report optional fields of the wrong type.
 */

/** Guards reject an embedded resource that has neither text nor blob. Param checks accept it. */
const hasTextOrBlob: Shape = {
  check: () => {},
  accepts: (value) =>
    isJsonObject(value) && (typeof value["text"] === "string" || typeof value["blob"] === "string"),
};

/** The five content blocks of v1. */
export const contentBlock = tagged("type", {
  text: object({ text }),
  image: object({ data: text, mimeType: text, uri: optional(text) }),
  audio: object({ data: text, mimeType: text }),
  resource_link: object({ uri: text, name: text, mimeType: optional(text) }),
  resource: object({
    resource: both(
      object({ uri: text, text: optional(text), blob: optional(text) }),
      hasTextOrBlob,
    ),
  }),
});

export const toolCallContent = tagged("type", {
  content: object({ content: contentBlock }),
  diff: object({ path: text, newText: text }),
  terminal: object({ terminalId: text }),
});

export const toolCallLocation = object({ path: text, line: optional(natural) });

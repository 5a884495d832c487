import { natural, object, optional, tagged, text } from "./shape.ts";

/*
 * The shapes of content blocks and of the parts of a tool call, for the checks of params, which also report
 * optional fields of the wrong type. The guards of the same values are in guards.ts.
 */

/** The five content blocks of v1. An embedded resource may have neither text nor blob. */
export const contentBlock = tagged("type", {
  text: object({ text }),
  image: object({ data: text, mimeType: text, uri: optional(text) }),
  audio: object({ data: text, mimeType: text }),
  resource_link: object({ uri: text, name: text, mimeType: optional(text) }),
  resource: object({ resource: object({ uri: text, text: optional(text), blob: optional(text) }) }),
});

export const toolCallLocation = object({ path: text, line: optional(natural) });

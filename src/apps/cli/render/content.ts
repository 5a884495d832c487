import type { ContentBlock } from "../../../protocol/acp/index.ts";

/** Describes content that cannot be printed as text. Sanitise it: the agent wrote parts of it. */
export function describeContent(content: Exclude<ContentBlock, { type: "text" }>): string {
  switch (content.type) {
    case "image":
    case "audio": {
      const bytes = Math.floor((content.data.length * 3) / 4);
      return `${content.type}, ${content.mimeType}, ${bytes} bytes (see -o events)`;
    }
    case "resource_link":
      return `link ${content.uri}`;
    case "resource":
      return `resource ${content.resource.uri} (see -o events)`;
  }
}

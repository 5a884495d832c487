import type { ContentBlock } from "../../acp/index.ts";

/** What a piece of an answer is that cannot be printed as text. Agent-written: sanitise to print. */
export function describeContent(content: Exclude<ContentBlock, { type: "text" }>): string {
  switch (content.type) {
    case "image":
    case "audio": {
      const bytes = Math.floor((content.data.length * 3) / 4);
      return `${content.type}, ${content.mimeType}, ${bytes} bytes (-o events has it)`;
    }
    case "resource_link":
      return `link ${content.uri}`;
    case "resource":
      return `resource ${content.resource.uri} (-o events has it)`;
  }
}

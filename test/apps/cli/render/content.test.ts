import { expect, it } from "vitest";
import type { ContentBlock } from "../../../../src/protocol/acp/index.ts";
import { TextRenderer } from "../../../../src/apps/cli/render/text/text.ts";
import { Screen } from "../../../../src/apps/cli/render/terminal/screen.ts";
import { fakeIo } from "../support/io.ts";

it.each<[ContentBlock, string]>([
  [
    { type: "image", mimeType: "image/png", data: "AAAA" },
    "image, image/png, 3 bytes (see -o events)",
  ],
  [
    { type: "audio", mimeType: "audio/wav", data: "AAAA" },
    "audio, audio/wav, 3 bytes (see -o events)",
  ],
  [{ type: "resource_link", uri: "file:///a\u001b[2J", name: "a" }, "link file:///a␛[2J"],
  [
    { type: "resource", resource: { uri: "file:///b", text: "T" } },
    "resource file:///b (see -o events)",
  ],
])("content that is not text is described on stderr: %j", async (content, line) => {
  const io = fakeIo();
  const screen = new Screen(io, { spinner: false, onClosed: () => {} });
  const renderer = new TextRenderer(screen, {
    simple: false,
    thoughts: false,
    verbose: false,
    commands: true,
    safeAnswer: false,
    markdown: undefined,
    onTerminal: false,
    cwd: "/",
    style: (_colour, text) => text,
    now: () => 0,
  });
  await renderer.update({
    type: "agent_message_chunk",
    text: "",
    raw: {},
    content,
    messageId: undefined,
  });
  expect({ out: io.out.text, err: io.err.text }).toEqual({ out: "", err: `[content] ${line}\n` });
});

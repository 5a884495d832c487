import { expect, it } from "vitest";
import { demoAgent } from "../../../src/apps/demo-agent/agent.ts";
import { serve } from "../../agent/harness.ts";
import { useOrchard } from "./orchard.ts";

let orchard = "";
useOrchard((root) => (orchard = root));

it("a prompt's links and images are acknowledged", async () => {
  const { client } = await serve(demoAgent({ version: "1", exit: () => {} }));
  const sessionId = await client.newSession({ cwd: orchard });
  await client.call("session/prompt", {
    sessionId,
    prompt: [
      { type: "text", text: "ladder" },
      { type: "resource_link", uri: "file:///x", name: "x" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
    ],
  });
  expect(client.text("agent_thought_chunk")).toContain("a link to file:///x, image (image/png");
});

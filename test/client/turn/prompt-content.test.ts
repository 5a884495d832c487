import { describe, expect, it } from "vitest";
import { resourceLink, type PromptContent } from "../../../src/entries/dragoman.ts";
import {
  endTurn,
  everything,
  FakeAgent,
  initialized,
  newSession,
  openSession,
} from "../fake-agent.ts";

describe("the content of a prompt", () => {
  const image = { type: "image", data: "AA==", mimeType: "image/png" } as const;
  const audio = { type: "audio", data: "AA==", mimeType: "audio/wav" } as const;
  const resource = { type: "resource", resource: { uri: "file:///x", text: "x" } } as const;

  it("may be text, a block, or a list of both", async () => {
    const agent = new FakeAgent({
      initialize: () => initialized(everything),
      "session/prompt": () => endTurn,
    });
    const { session } = await openSession(agent);
    const link = resourceLink("/project/a b.txt", { mimeType: "text/plain" });
    await session.prompt("text").result;
    await session.prompt(image).result;
    await session.prompt(["look", image, audio, resource, link], { meta: { k: 1 } }).result;
    expect(agent.paramsOf("session/prompt")).toEqual([
      { sessionId: "s1", prompt: [{ type: "text", text: "text" }] },
      { sessionId: "s1", prompt: [image] },
      {
        sessionId: "s1",
        prompt: [
          { type: "text", text: "look" },
          image,
          audio,
          resource,
          {
            type: "resource_link",
            uri: "file:///project/a%20b.txt",
            name: "a b.txt",
            mimeType: "text/plain",
          },
        ],
        _meta: { k: 1 },
      },
    ]);
  });

  it.each([
    [image, "promptCapabilities.image"],
    [audio, "promptCapabilities.audio"],
    [resource, "promptCapabilities.embeddedContext"],
  ])("must be of a type that the agent supports: $0.type", async (block, capability) => {
    const agent = new FakeAgent();
    const { session } = await openSession(agent);
    await expect(session.prompt(["x", block]).result).rejects.toMatchObject({ capability });
    expect(agent.paramsOf("session/prompt")).toEqual([]);
    expect(session.turnState).toBe("idle");
  });

  it.each([[[]], [[{ type: "text" }]], [[42]], [{ type: "video", data: "" }], [null]])(
    "must be valid: %j",
    async (content) => {
      const { session } = await openSession(new FakeAgent({ "session/new": newSession() }));
      const turn = session.prompt(content as PromptContent);
      await expect(turn.result).rejects.toMatchObject({ code: "invalid_argument" });
    },
  );

  it.each([
    ["https://example.com/spec.txt?x=1", "https://example.com/spec.txt?x=1", "spec.txt"],
    ["https://example.com", "https://example.com/", "example.com"],
    [new URL("file:///a/%C3%A9.md"), "file:///a/%C3%A9.md", "é.md"],
  ])("can link to %s", (target, uri, name) => {
    expect(resourceLink(target)).toEqual({ type: "resource_link", uri, name });
    expect(resourceLink(target, { name: "n", description: "d" })).toMatchObject({
      name: "n",
      description: "d",
    });
  });
});

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { demoAgent } from "../../../src/apps/demo-agent/agent.ts";
import { serve, type Json } from "../../agent/harness.ts";
import { useOrchard } from "./orchard.ts";

let orchard = "";
useOrchard((root) => (orchard = root));

async function ask(text: string, content?: (path: string) => string) {
  const { client } = await serve(
    demoAgent({ version: "1", exit: () => {} }),
    content
      ? {
          capabilities: { fs: { readTextFile: true } },
          answers: {
            "fs/read_text_file": ({ path }: Json) => ({ content: content(String(path)) }),
          },
        }
      : {},
  );
  const sessionId = await client.newSession({ cwd: orchard });
  expect(await client.prompt(sessionId, text)).toBe("end_turn");
  return client;
}

describe("an answer", () => {
  it("starts with the project's description if the question is about the project", async () => {
    const client = await ask("what does this project do?");
    expect(client.text()).toMatch(/^\*\*Orchard\*\*\n\nGrows apples of every kind\./);
    expect(client.text()).toContain("README.md:5  Tools");
    expect(client.text()).toMatch(/I looked at \d+ files/);
  });

  it("lists matches with path and line, and sends a plan and a search tool call", async () => {
    const client = await ask("ladder?");
    expect(client.text()).toContain("- src/ladder.ts:1  export class Ladder {");
    expect(client.text()).toContain("found 3 matching lines in 3 files");
    expect(client.ofKind("plan")).toHaveLength(4);
    expect(client.ofKind("tool_call_update").at(0)).toMatchObject({
      status: "completed",
      locations: [{ path: join(orchard, "src/ladder.ts"), line: 1 }, {}, {}],
    });
  });

  it("describes the project if there are no matches", async () => {
    const client = await ask("zeppelin");
    expect(client.text()).toContain("**Orchard**");
    expect(client.text()).toContain("found no matches");
  });

  it("uses the client's view of a file, including unsaved changes", async () => {
    const client = await ask("ladder", (path) =>
      path.endsWith("ladder.ts") ? "// new\nexport class Ladder {\n" : "gone",
    );
    expect(client.log).toContain("fs/read_text_file");
    expect(client.text()).toContain("src/ladder.ts:2");
    expect(client.text()).not.toContain("basket.ts");
  });
});

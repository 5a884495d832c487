// Tools of this process, called by the real agents.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defineTool, toolServer } from "../../../src/entries/tools.ts";
import type { ToolTransport } from "../../../src/tools/index.ts";
import { type BuiltBin, buildBin } from "../../apps/cli/support/bin.ts";
import { text, toolCall } from "../../../src/conformance/scripted-model/index.ts";
import { recipes } from "./recipes.ts";
import { Rig } from "./rig.ts";

let bin: BuiltBin;
let rig: Rig | undefined;

beforeAll(async () => {
  bin = await buildBin();
});
afterAll(() => bin.remove());

/** Qwen Code 0.24.4 asks its model whether a call is safe, which the scripted model cannot answer. */
const tested = recipes.filter(({ name }) => name !== "qwen");

describe.each(tested.map((recipe) => [recipe.name, recipe] as const))("%s", (_name, recipe) => {
  beforeEach(async () => {
    rig = await Rig.start(recipe);
  });
  afterEach(async () => {
    await rig?.dispose();
    rig = undefined;
  });

  it.each<[string, ToolTransport | undefined]>([
    ["the best transport", undefined],
    ["stdio", "stdio"],
  ])("calls a tool of the client's process over %s", async (_transport, transport) => {
    if (!rig) throw new Error("the agent was not started");
    const { client, model } = rig;
    const seen: string[] = [];
    const stock = defineTool({
      name: "stock",
      description: "Tells how many items of a kind are in stock",
      input: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
      run: ({ item }) => {
        seen.push(item);
        return `3 ${item}s`;
      },
    });
    const shop = toolServer({
      name: "shop",
      tools: [stock],
      transport,
      bridge: { command: process.execPath, args: [bin.file, "tool-bridge"] },
    });
    const cwd = await rig.home.workspace();
    const session = await client.newSession({ cwd, mcpServers: [shop] });
    // Agents put the name of the server before that of the tool, each in its own way. claude-agent-acp
    // 0.99.1 shows the model only the names of such tools until the model searches for them.
    model.push(({ tools }) => {
      const name = tools.find((tool) => tool.name.endsWith("stock"))?.name;
      return toolCall(name ?? "mcp__shop__stock", { item: "heron" });
    }, text("done"));
    const turn = session.prompt("how many herons?");
    expect(await turn.text()).toContain("done");
    expect(seen).toEqual(["heron"]);
    const results = model.calls.flatMap(({ messages }) =>
      messages.flatMap(({ toolResults }) => toolResults.map((result) => result.text)),
    );
    expect(results.some((result) => result.includes("3 herons"))).toBe(true);
    await session.close();
  });
});

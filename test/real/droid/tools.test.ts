// Tools of this process, called by a real Droid.
import { afterAll, beforeAll, expect, it } from "vitest";
import { deferred } from "../../../src/base/index.ts";
import { UnsupportedByDroidError } from "../../../src/entries/droid.ts";
import { defineTool, type Tool, toolServer } from "../../../src/entries/tools.ts";
import { type BuiltBin, buildBin } from "../../apps/cli/support/bin.ts";
import { isNewDroid, testedDroids } from "../../support/droid/install.ts";
import { text, toolCall } from "../../../src/conformance/scripted-model/index.ts";
import { leftOver, play, stage } from "./harness.ts";
import { describeDroids } from "../../support/droid/describe.ts";

let bin: BuiltBin;
beforeAll(async () => {
  bin = await buildBin();
});
afterAll(() => bin.remove());

const stock: Readonly<Record<string, number>> = { heron: 3 };

function stockTool(seen: string[] = []): Tool {
  return defineTool({
    name: "stock",
    description: "How many items are in stock",
    input: { type: "object", properties: { item: { type: "string" } }, required: ["item"] },
    run: ({ item }) => {
      seen.push(item);
      const count = stock[item];
      if (count === undefined) throw new Error(`no such item: ${item}`);
      return `${count} in stock`;
    },
  });
}

describeDroids("droid", testedDroids(), (version) => {
  if (!isNewDroid(version)) {
    it("rejects tools of this process, because it connects to no MCP server of a session", async () => {
      const { home, start } = await stage(version);
      const shop = toolServer({ name: "shop", tools: [stockTool()] });
      const failed = await start({ mcpServers: [shop] }).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(UnsupportedByDroidError);
      expect(failed).toMatchObject({ feature: 'the tool server "shop"' });
      expect(await leftOver(home)).toEqual([]);
    });
    return;
  }

  it.each(["http", "stdio"] as const)(
    "calls a tool of this process over %s, and gets its result, its error and a fault of the arguments",
    async (transport) => {
      const { model, start } = await stage(version);
      const seen: string[] = [];
      const bridge = { command: process.execPath, args: [bin.file, "tool-bridge"] };
      const shop = toolServer({ name: "shop", tools: [stockTool(seen)], transport, bridge });
      const droid = await start({ autonomy: "high", mcpServers: [shop] });
      expect(droid.mcpServers).toEqual([
        { name: "shop", status: "connected", tools: [expect.stringContaining("stock")] },
      ]);
      const results: [boolean, string][] = [];
      for (const args of [{ item: "heron" }, { item: "stork" }, { item: 7 }]) {
        model.push(toolCall("shop___stock", args), text("done"));
        const { events } = await play(droid.prompt("how many?"));
        for (const event of events) {
          if (event.type === "tool_result") results.push([event.isError, event.content]);
        }
      }
      expect(results).toEqual([
        [false, "3 in stock"],
        [true, expect.stringContaining("no such item: stork")],
        [true, expect.stringContaining("item: must be string")],
      ]);
      expect(seen).toEqual(["heron", "stork"]);
    },
  );

  it("aborts a tool when the turn is cancelled, and goes on", async () => {
    const { model, start } = await stage(version);
    let aborted = 0;
    const started = deferred();
    const wait = defineTool({
      name: "wait",
      description: "Waits forever",
      input: { type: "object", properties: {} },
      run: (_args, { signal }) => {
        signal.addEventListener("abort", () => aborted++);
        started.resolve();
        return new Promise<string>(() => {});
      },
    });
    const droid = await start({
      autonomy: "high",
      mcpServers: [toolServer({ name: "shop", tools: [wait, stockTool()] })],
    });
    model.push(toolCall("shop___wait", {}));
    const turn = droid.prompt("wait");
    await started.promise;
    await turn.cancel();
    expect((await turn.result).stopReason).toBe("cancelled");
    expect(aborted).toBe(1);
    model.push(toolCall("shop___stock", { item: "heron" }), text("done"));
    const { text: answer } = await play(droid.prompt("how many?"));
    expect(answer).toBe("done");
  });
});

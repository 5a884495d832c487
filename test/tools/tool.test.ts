import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  defineTool,
  type ToolReturn,
  ToolServerError,
  toolServer,
} from "../../src/entries/tools.ts";
import type { FromJsonSchema, StandardSchema } from "../../src/protocol/schema/index.ts";

const anything = { type: "object" } as const;

/** A tool that returns or throws what the test tells it to. */
function toolThat(run: () => ToolReturn | Promise<ToolReturn>) {
  return defineTool({ name: "do", description: "Does it", input: anything, run });
}

describe("the arguments of a tool", () => {
  it("have the type that a JSON Schema describes", async () => {
    const tool = defineTool({
      name: "order",
      description: "Orders items",
      input: {
        type: "object",
        properties: {
          item: { type: "string" },
          count: { type: "integer", minimum: 1 },
          size: { enum: ["small", "large"] },
          tags: { type: "array", items: { type: "string" } },
          to: {
            type: "object",
            properties: { street: { type: "string" }, floor: { type: ["number", "null"] } },
            required: ["street"],
          },
          either: { anyOf: [{ type: "string" }, { type: "boolean" }] },
        },
        required: ["item", "size"],
      },
      run: (args) => {
        expectTypeOf(args.item).toEqualTypeOf<string>();
        expectTypeOf(args.count).toEqualTypeOf<number | undefined>();
        expectTypeOf(args.size).toEqualTypeOf<"small" | "large">();
        expectTypeOf(args.tags).toEqualTypeOf<string[] | undefined>();
        expectTypeOf(args.either).toEqualTypeOf<string | boolean | undefined>();
        expectTypeOf(args.to?.street).toEqualTypeOf<string | undefined>();
        expectTypeOf(args.to?.floor).toEqualTypeOf<number | null | undefined>();
        return `${args.count ?? 1} ${args.size} ${args.item}`;
      },
    });
    expect(await tool.call({ item: "heron", size: "large", count: 2 })).toEqual({
      content: [{ type: "text", text: "2 large heron" }],
    });
    expect(await tool.call({ item: 1, size: "huge" })).toEqual({
      isError: true,
      content: [
        {
          type: "text",
          text: "Invalid arguments for order:\nitem: must be string\nsize: must be equal to one of the allowed values: small, large",
        },
      ],
    });
    expectTypeOf<FromJsonSchema<{ description: "no type" }>>().toBeUnknown();
  });

  it("have the type that a Standard Schema returns, with its defaults and conversions", async () => {
    const tool = defineTool({
      name: "order",
      description: "Orders items",
      input: z.object({
        item: z.string().describe("Its name"),
        count: z.number().int().default(1),
        by: z.string().transform((text) => text.length),
      }),
      jsonSchema: undefined,
      run: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ item: string; count: number; by: number }>();
        return { structuredContent: args };
      },
    });
    expect(tool.inputSchema).toEqual({
      type: "object",
      properties: {
        item: { type: "string", description: "Its name" },
        count: expect.objectContaining({ type: "integer", default: 1 }) as object,
        by: { type: "string" },
      },
      required: ["item", "by"],
    });
    expect(await tool.call({ item: "heron", by: "me" })).toMatchObject({
      structuredContent: { item: "heron", count: 1, by: 2 },
    });
    const { content, isError } = await tool.call({ item: "heron" });
    expect(isError).toBe(true);
    expect(content).toEqual([
      { type: "text", text: expect.stringMatching(/by: .*string/) as string },
    ]);
  });

  it("may be missing if none is required", async () => {
    const tool = toolThat(() => "done");
    expect(await tool.call(undefined)).toEqual({ content: [{ type: "text", text: "done" }] });
  });

  it.each([
    [{ type: "string" }, "object"],
    [{}, "object"],
    [standard(undefined), "(test) has no JSON Schema"],
    [
      standard(() => {
        throw new Error("no dates");
      }),
      "(test) cannot be converted",
    ],
  ])("need a JSON Schema of an object: %o", (input, message) => {
    const define = (): unknown =>
      defineTool({ name: "x", description: "", input, run: () => undefined });
    expect(define).toThrow(ToolServerError);
    expect(define).toThrow(message);
  });

  it("may have a JSON Schema of their own", () => {
    const jsonSchema = { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" };
    const input = standard(undefined);
    const tool = defineTool({ name: "x", description: "", input, jsonSchema, run: () => "" });
    expect(tool.inputSchema).toEqual({ type: "object" });
  });
});

/** A validator that accepts everything. */
function standard(toJson: (() => Record<string, unknown>) | undefined): StandardSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => ({ value }),
      ...(toJson && { jsonSchema: { input: toJson } }),
    },
  };
}

describe("the name of a tool", () => {
  it.each(["", "two words", "a.b", "ä", "x".repeat(65)])("is not %o", (name) => {
    const define = (): unknown =>
      defineTool({ name, description: "", input: anything, run: () => undefined });
    expect(define).toThrow("letters, digits");
  });

  it("is used once in a server", () => {
    const [a, b, c] = ["a", "b", "c"].map((name) =>
      defineTool({ name, description: "", input: anything, run: () => undefined }),
    );
    if (!a || !b || !c) throw new Error("three tools");
    const make = (): unknown => toolServer({ name: "mine", tools: [a, b, a, c, c, a] });
    expect(make).toThrow(ToolServerError);
    expect(make).toThrow('several tools of the server "mine" have the same name: a, c');
  });
});

describe("the output of a tool", () => {
  it.each<[string, ToolReturn, object]>([
    ["text", "hello", { content: [{ type: "text", text: "hello" }] }],
    ["nothing", undefined, { content: [] }],
    [
      "JSON, also as text",
      { structuredContent: { a: 1 } },
      { content: [{ type: "text", text: '{"a":1}' }], structuredContent: { a: 1 } },
    ],
    [
      "blocks",
      { content: [{ type: "image", data: "AA==", mimeType: "image/png" }] },
      { content: [{ type: "image", data: "AA==", mimeType: "image/png" }] },
    ],
    [
      "a failure of its own",
      { content: [{ type: "text", text: "no" }], isError: true },
      { content: [{ type: "text", text: "no" }], isError: true },
    ],
  ])("may be %s", async (_name, returned, output) => {
    expect(await toolThat(() => returned).call({})).toEqual(output);
  });

  it("is its error if it throws", async () => {
    const tool = toolThat(() => Promise.reject(new Error("out of stock")));
    expect(await tool.call({})).toEqual({
      content: [{ type: "text", text: "out of stock" }],
      isError: true,
    });
  });
});

describe("a call", () => {
  it("ends when it is aborted, even if the tool does not", async () => {
    const controller = new AbortController();
    let start: (signal: AbortSignal) => void = () => {};
    const started = new Promise<AbortSignal>((resolve) => {
      start = resolve;
    });
    const tool = defineTool({
      name: "wait",
      description: "Waits forever",
      input: anything,
      run: (_args, run) => {
        start(run.signal);
        return new Promise<string>(() => {});
      },
    });
    const calling = tool.call({}, { signal: controller.signal });
    const signal = await started;
    controller.abort(new Error("the turn was cancelled"));
    expect(await calling).toEqual({
      content: [{ type: "text", text: "the turn was cancelled" }],
      isError: true,
    });
    expect(signal.aborted).toBe(true);
  });

  it("does not start if it is aborted while its arguments are checked", async () => {
    const controller = new AbortController();
    let runs = 0;
    const tool = toolThat(() => {
      runs++;
      return Promise.resolve("done");
    });
    const calling = tool.call({}, { signal: controller.signal });
    controller.abort(new Error("the turn was cancelled"));
    expect(await calling).toMatchObject({ isError: true });
    expect(await tool.call({})).toMatchObject({ content: [{ text: "done" }] });
    expect(runs).toBe(1);
  });

  it("does not start if it is aborted already", async () => {
    let runs = 0;
    const tool = toolThat(() => {
      runs++;
      return "";
    });
    const signal = AbortSignal.abort(new Error("late"));
    expect(await tool.call({}, { signal })).toMatchObject({ isError: true });
    expect(runs).toBe(0);
  });

  it("reports progress until it has ended", async () => {
    const reports: unknown[] = [];
    let report: ((progress: number) => void) | undefined;
    const tool = defineTool({
      name: "count",
      description: "Counts",
      input: anything,
      run: (_args, { progress }) => {
        report = progress;
        progress(1, 2, "half");
      },
    });
    await tool.call({}, { onProgress: (...given) => reports.push(given) });
    report?.(2);
    expect(reports).toEqual([[1, 2, "half"]]);
  });
});

import { describe, expect, it } from "vitest";
import {
  UnsupportedByClientError,
  type ClientCapability,
  type Turn,
} from "../../../src/entries/agent.ts";
import { promptAgent } from "../definitions.ts";
import { inTurn, serve } from "../harness.ts";

describe("the client's capabilities", () => {
  const uses: [ClientCapability, (turn: Turn<object>) => Promise<unknown>][] = [
    ["fs.readTextFile", (turn) => turn.readFile("/x")],
    ["fs.writeTextFile", (turn) => turn.writeFile("/x", "y")],
    ["terminal", (turn) => turn.terminal({ command: "x" })],
    ["elicitation.form", (turn) => turn.elicit({ message: "m", schema: {} })],
    ["elicitation.url", (turn) => turn.elicitUrl({ message: "m", url: "https://x.example" })],
    ["session.notices", (turn) => turn.notice({ severity: "info", title: "t" })],
    ["session.compaction", (turn) => turn.compaction("c", "in_progress")],
    [
      "session.notices",
      (turn) => turn.update({ sessionUpdate: "notice", severity: "info", title: "t" }),
    ],
  ];
  it.each(uses)(
    "prevent the use of helpers that the client does not advertise: %s",
    async (capability, use) => {
      const { value, client } = await inTurn(
        async (turn) => ({
          can: turn.client.can(capability),
          error: await use(turn).catch((error: unknown) => error),
        }),
        {},
        {},
      );
      expect(value.can).toBe(false);
      expect(value.error).toBeInstanceOf(UnsupportedByClientError);
      expect(value.error).toMatchObject({ capability, code: "unsupported_by_client" });
      expect(client.log).toEqual([]);
    },
  );

  it("can be checked in advance, together with the client's name and dialect", async () => {
    const { value } = await inTurn(async ({ client }) => ({
      can: client.can("terminal"),
      info: client.info,
      dialect: client.dialect,
      fs: client.capabilities.fs,
    }));
    expect(value).toEqual({
      can: true,
      info: { name: "test", version: "0" },
      dialect: "canonical",
      fs: { readTextFile: true, writeTextFile: true },
    });
  });
});

describe("extension methods", () => {
  it("work in both directions", async () => {
    let received: unknown;
    const { client } = await serve(
      promptAgent(
        async (turn) => {
          await turn.client.notify("_test/notice", { n: 1 });
          received = await turn.client.call("_test/ask", { n: 2 });
        },
        {
          requests: { "_test/double": (params) => ({ given: params }) },
          notifications: { "_test/report": (params) => void (received = params) },
        },
      ),
      { answers: { "_test/ask": () => ({ yes: true }) } },
    );
    await client.prompt(await client.newSession(), "x");
    expect(client.log).toEqual(["_test/notice", "_test/ask"]);
    expect(received).toEqual({ yes: true });
    await client.peer.notify("_test/report", { n: 3 });
    expect(await client.call("_test/double", { a: 1 })).toEqual({ given: { a: 1 } });
    expect(received).toEqual({ n: 3 });
  });
});

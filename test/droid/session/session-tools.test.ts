import { afterEach, describe, expect, it } from "vitest";
import { UnsupportedByDroidError } from "../../../src/droid/index.ts";
import { capabilitiesOf } from "../../../src/droid/protocol/versions.ts";
import type { DroidMcpServer } from "../../../src/droid/protocol/session.ts";
import { SessionTools } from "../../../src/droid/session/session-tools.ts";
import { toolServer, type ToolServerOptions } from "../../../src/entries/tools.ts";
import { deferred } from "../../../src/base/index.ts";
import { greet } from "../../tools/fixtures.ts";

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function toolsOf(cli = "0.225.2") {
  const version = { cli, protocol: undefined };
  const closed = deferred();
  const tools = new SessionTools({
    version,
    capabilities: capabilitiesOf(version),
    isOpen: true,
    closed: closed.promise,
  });
  closing.push(() => closed.resolve());
  return { tools, close: () => closed.resolve() };
}

function shop(options: Partial<ToolServerOptions> = {}) {
  return toolServer({ name: "shop", tools: [greet], ...options });
}

/** The address of the only server. */
function urlOf([server]: readonly DroidMcpServer[]): string {
  return server?.type === "http" ? server.url : "";
}

/** Whether something listens at an address. Without the token, it answers with an error. */
async function listens(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

describe("the tools of a Droid session", () => {
  it("are reached over HTTP, and close with the connection", async () => {
    const { tools, close } = toolsOf();
    const plain = { name: "other", command: "x" };
    const servers = await tools.whileOpening([plain, shop()], async (given) => given);
    expect(servers).toEqual([plain, expect.objectContaining({ type: "http", name: "shop" })]);
    const url = urlOf(servers.slice(1));
    expect(await listens(url)).toBe(true);
    close();
    await expect.poll(() => listens(url)).toBe(false);
  });

  it("replace those of the session before only if the next session opens", async () => {
    const { tools } = toolsOf();
    const first = urlOf(await tools.whileOpening([shop()], async (given) => given));
    let failed = "";
    const failing = tools.whileOpening([shop()], async (given) => {
      failed = urlOf(given);
      throw new Error("no such session");
    });
    await expect(failing).rejects.toThrow("no such session");
    expect(await listens(failed)).toBe(false);
    expect(await listens(first)).toBe(true);
    const second = urlOf(await tools.whileOpening([shop()], async (given) => given));
    expect(await listens(first)).toBe(false);
    expect(await listens(second)).toBe(true);
  });

  it.each([
    ["0.117.0", undefined],
    ["0.99.0", undefined],
    ["0.225.2", "acp"],
  ] as const)("are refused by %s over %s", async (cli, transport) => {
    const { tools } = toolsOf(cli);
    const opening = tools.whileOpening([shop({ transport })], async (given) => given);
    await expect(opening).rejects.toThrow(UnsupportedByDroidError);
  });
});

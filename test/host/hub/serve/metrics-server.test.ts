// The metrics of a process that serves no clients: for programs on this machine, and for no page.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type MetricsServer, serveMetrics } from "../../../../src/host/hub/index.ts";
import { CONNECTION_HEADERS, sendRaw, spellingsOf } from "../../../support/raw-request.ts";

let server: MetricsServer;
beforeEach(async () => {
  server = await serveMetrics({
    host: "127.0.0.1",
    port: 0,
    isInsecureAllowed: false,
    isReady: () => true,
    metrics: () => "metrics 1\n",
  });
});
afterEach(() => server.close());

async function get(target: string, lines: readonly string[] = [], host?: string) {
  const headers = [...lines, ...CONNECTION_HEADERS.plain];
  return sendRaw(server.port, `GET ${target} HTTP/1.1`, headers, host);
}

describe("metrics", () => {
  it("are served at their path", async () => {
    expect(await get("/metrics")).toMatchObject({ status: 200 });
    expect((await get("/metrics?x=1")).text).toContain("metrics 1");
    expect((await get("/healthz")).text).toContain("ok");
  });

  it.each(spellingsOf("/metrics"))("are not served at %s", async (target) => {
    const { status, text } = await get(target);
    expect([400, 404]).toContain(status);
    expect(text).not.toContain("metrics 1");
  });

  it("are not served for an upgrade", async () => {
    const headers = CONNECTION_HEADERS.upgrade;
    const answer = await sendRaw(server.port, "GET /metrics HTTP/1.1", headers);
    expect(answer).toEqual({ status: undefined, text: "" });
  });

  it.each([
    ["another host", [], "evil.example"],
    ["another page", ["Origin: https://evil.example"], undefined],
    ["a page without an origin", ["Origin: null"], undefined],
    ["another site", ["Sec-Fetch-Site: cross-site"], undefined],
  ])("are not served for %s", async (_, lines, host) => {
    for (const path of ["/metrics", "/healthz"]) {
      expect(await get(path, lines, host)).toMatchObject({ status: 403 });
    }
  });
});

import { describe, expect, it } from "vitest";
import { redactingLogger } from "../../../src/client/connection/redacting-logger.ts";
import { connect, FakeAgent } from "../fake-agent.ts";

describe("the redacting logger", () => {
  it("redacts secrets in messages and in fields", () => {
    const seen: unknown[] = [];
    const logger = redactingLogger({ warn: (...all) => seen.push(all) });
    logger.warn?.("token=abc123", {
      line: "api_key: xyz",
      params: { env: { KEY: "v" } },
      count: 1,
    });
    logger.debug?.("no such method");
    expect(seen).toEqual([
      [
        "token=[redacted]",
        { line: "api_key: [redacted]", params: { env: { KEY: "[redacted]" } }, count: 1 },
      ],
    ]);
  });

  it("wraps the logger of the application", async () => {
    const seen: unknown[] = [];
    const agent = new FakeAgent();
    await connect(agent, { logger: { warn: (...all) => seen.push(all) } });
    await agent.sendRaw("starting with password=hunter2");
    await agent.delivered();
    expect(seen).toEqual([
      ["line is not a protocol message", { line: "starting with password=[redacted]", count: 1 }],
    ]);
  });
});

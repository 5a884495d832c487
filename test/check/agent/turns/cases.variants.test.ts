import { describe, expect, it } from "vitest";
import { checkAgent } from "../../../../src/check/index.ts";
import { modelAgent } from "../../../support/check/model-agent.ts";

/** Agents that keep a rule in another way than the usual one, with the evidence that shows it. */
const VARIANTS = [
  {
    variant: "asks-again",
    id: "DRA-PROMPT-04",
    evidence: /3 answers with filtered gives end_turn/,
  },
  { variant: "encodes-images-anew", id: "DRA-PROMPT-01", evidence: /image/ },
  { variant: "own-folder", id: "DRA-SES-01", evidence: /session\/load; refuses another folder/ },
  { variant: "mcp-search", id: "DRA-MCP-02", evidence: /got its result/ },
] as const;

describe.concurrent("a right agent that does something in another way", () => {
  it.each(VARIANTS)("passes $id: $variant", { timeout: 60_000 }, async (one) => {
    const subject = modelAgent("--variant", one.variant);
    const { results } = await checkAgent({ subject, ids: new Set([one.id]) });
    const result = results.find(({ id }) => id === one.id);
    expect(result).toMatchObject({ status: "passed" });
    expect(result?.evidence).toMatch(one.evidence);
  });
});

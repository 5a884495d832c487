// Agents that keep a rule in another way than the usual one.
import { describe, expect, it } from "vitest";
import { checkAgent } from "../../../src/conformance/check/index.ts";
import { basicInProcess, modelInProcess, v2InProcess } from "../../support/check/in-process.ts";

const MODEL_VARIANTS = [
  {
    variant: "asks-again",
    ids: ["DRA-PROMPT-04"],
    evidence: /3 answers with filtered gives end_turn/,
  },
  { variant: "encodes-images-anew", ids: ["DRA-PROMPT-01"], evidence: /image/ },
  { variant: "own-folder", ids: ["DRA-SES-01"], evidence: /session\/load; refuses another folder/ },
  { variant: "mcp-search", ids: ["DRA-MCP-02"], evidence: /got its result/ },
  // The client runs a command in the folder of the session if the agent names none.
  {
    variant: "terminal-without-cwd",
    ids: ["DRA-SES-01", "DRA-SES-05", "DRA-TERM-01"],
    evidence: /./,
  },
  // The result of the tool call is not the last message that the model gets.
  { variant: "reminds", ids: ["DRA-DIR-01"], evidence: /additional directory/ },
  // An update replaces all content of its call, so it names the terminal again after the release.
  { variant: "repeats-terminal", ids: ["DRA-TOOL-09"], evidence: /./ },
] as const;

describe.concurrent("a right agent that does something in another way", () => {
  it.each(MODEL_VARIANTS)("passes $ids: $variant", { timeout: 60_000 }, async (one) => {
    const subject = modelInProcess({ variant: one.variant });
    const { results } = await checkAgent({ subject, ids: new Set(one.ids) });
    for (const wanted of one.ids) {
      const result = results.find(({ id }) => id === wanted);
      expect(result).toMatchObject({ status: "passed" });
      expect(result?.evidence).toMatch(one.evidence);
    }
  });

  it("passes DRA-INIT-02: refuses null, which the schema does not allow", async () => {
    const subject = basicInProcess("refuses-null-capabilities");
    const { results } = await checkAgent({ subject, ids: new Set(["DRA-INIT-02"]) });
    expect(results.find(({ id }) => id === "DRA-INIT-02")).toMatchObject({ status: "passed" });
  });

  it("passes ACP-PROMPT-205: sends a field of its own, which another requirement judges", async () => {
    const subject = v2InProcess("own-field");
    const ids = new Set(["ACP-PROMPT-205", "ACP-SCHEMA-002"]);
    const { results } = await checkAgent({ subject, protocol: 2, ids });
    expect(results.find(({ id }) => id === "ACP-PROMPT-205")).toMatchObject({ status: "passed" });
    expect(results.find(({ id }) => id === "ACP-SCHEMA-002")).toMatchObject({ status: "failed" });
  });
});

import { describe, expect, it } from "vitest";
import type { SessionConfigOption } from "../../../src/entries/agent.ts";
import { ask } from "./call-options.ts";
import { provide, recordingAgent } from "./providers.ts";

const model: SessionConfigOption = {
  id: "llm",
  name: "Model",
  category: "model",
  type: "select",
  currentValue: "small",
  options: [
    {
      group: "g",
      name: "All",
      options: ["small", "large"].map((value) => ({ value, name: value })),
    },
  ],
};
const mode: SessionConfigOption = {
  id: "how",
  name: "Mode",
  category: "mode",
  type: "select",
  currentValue: "ask",
  options: ["ask", "plan"].map((value) => ({ value, name: value })),
};

/** An agent with options, and the changes that clients made to them. */
function configurable(options: readonly SessionConfigOption[]) {
  const changes: [string, string | boolean][] = [];
  let current = options;
  const { agent } = recordingAgent(undefined, {
    configOptions: () => [...current],
    setConfigOption: (_session, id, value) => {
      changes.push([id, value]);
      current = current.map((option) =>
        option.id === id && option.type === "select" && typeof value === "string"
          ? { ...option, currentValue: value }
          : option,
      );
    },
  });
  return { agent, changes };
}

describe("the model", () => {
  it("is switched once, to one that the agent offers", async () => {
    const { agent, changes } = configurable([model]);
    const large = provide(agent)("large", { sessionId: undefined });
    const { response } = await large.doGenerate(ask("x"));
    expect(changes).toEqual([["llm", "large"]]);
    expect(response?.modelId).toBe("large");
  });

  it("stays as it is if it is already in use, or not requested", async () => {
    const { agent, changes } = configurable([model]);
    const provider = provide(agent);
    await provider("small").doGenerate(ask("x"));
    const { response } = await provider().doGenerate(ask("x"));
    expect(changes).toEqual([]);
    expect(response?.modelId).toBe("small");
  });

  it.each([
    [[model], "it offers these: small, large"],
    [[mode], "it offers no choice of models"],
  ])("must be one of those on offer", async (options, message) => {
    const { agent } = configurable(options);
    await expect(provide(agent)("huge").doGenerate(ask("x"))).rejects.toMatchObject({
      code: "no_such_model",
      modelId: "huge",
      message: expect.stringContaining(message),
    });
  });
});

describe("the mode", () => {
  it("is an option if the agent has one for it", async () => {
    const { agent, changes } = configurable([mode]);
    await provide(agent)("default", { mode: "plan" }).doGenerate(ask("x"));
    expect(changes).toEqual([["how", "plan"]]);
  });

  it("is a mode of the session otherwise", async () => {
    const modes: string[] = [];
    const { agent } = recordingAgent(undefined, {
      modes: () => ({
        currentModeId: "ask",
        availableModes: ["ask", "plan"].map((id) => ({ id, name: id })),
      }),
      setMode: (_session, id) => {
        modes.push(id);
      },
    });
    await provide(agent)("default", { mode: "plan" }).doGenerate(ask("x"));
    await provide(recordingAgent().agent)("default", {}).doGenerate(ask("x"));
    expect(modes).toEqual(["plan"]);
  });
});

it("other options are set by id", async () => {
  const { agent, changes } = configurable([model, mode]);
  const settings = { config: { llm: "small", how: "plan" } };
  await provide(agent)("default", settings).doGenerate(ask("x"));
  expect(changes).toEqual([["how", "plan"]]);
});

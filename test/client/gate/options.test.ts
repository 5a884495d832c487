import { describe, expect, it } from "vitest";
import { clientHas } from "../../../src/protocol/acp/capabilities.ts";
import { AgentGate } from "../../../src/client/gate/gate.ts";
import { gateCapabilities, type GateOptions } from "../../../src/client/gate/access.ts";
import { strictFaults } from "../../support/schema.ts";
import { EVERYTHING, harness, METHODS } from "./harness.ts";

describe("the advertised capabilities", () => {
  it.each<[string, GateOptions, object]>([
    [
      "contain only reading by default",
      {},
      { fs: { readTextFile: true, writeTextFile: false }, terminal: false },
    ],
    [
      "contain everything that is switched on and has a provider",
      EVERYTHING,
      {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        elicitation: { form: {}, url: {} },
      },
    ],
    [
      "leave out everything that is switched off",
      {
        ...EVERYTHING,
        capabilities: { fs: { readTextFile: false }, terminal: false, elicitation: null },
      },
      { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    ],
    [
      "contain terminals and elicitation without a provider if they are switched on for sessions that have one",
      { capabilities: { terminal: true, elicitation: { form: {} } } },
      {
        fs: { readTextFile: true, writeTextFile: false },
        terminal: true,
        elicitation: { form: {} },
      },
    ],
    [
      "leave out reading if a provider with paths of its own cannot read",
      { fs: { provider: { realpath: (path) => path } } },
      { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    ],
    [
      "contain reading if a provider with paths of its own can read",
      { fs: { provider: { realpath: (path) => path, readTextFile: () => "" } } },
      { fs: { readTextFile: true, writeTextFile: false }, terminal: false },
    ],
    [
      "contain capabilities outside the gate as given",
      { capabilities: { auth: { terminal: true }, session: { notices: {} }, _meta: { a: 1 } } },
      {
        auth: { terminal: true },
        session: { notices: {} },
        _meta: { a: 1 },
        fs: { readTextFile: true, writeTextFile: false },
        terminal: false,
      },
    ],
  ])("%s", (_case, options, advertised) => {
    expect(gateCapabilities(options)).toEqual(advertised);
    expect(new AgentGate(options).capabilities).toEqual(advertised);
    expect(strictFaults("ClientCapabilities", advertised)).toEqual([]);
  });

  it("decide what is answered: everything else fails with -32601", async () => {
    await using h = harness({ capabilities: { fs: { readTextFile: false } } });
    for (const method of METHODS) {
      const error = await h.failure(method, {});
      const isOpen = method === "session/request_permission";
      expect([method, error.code]).toEqual([method, isOpen ? -32602 : -32601]);
    }
    expect(clientHas(h.gate.capabilities, "fs.readTextFile")).toBe(false);
  });
});

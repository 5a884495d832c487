import { describe, expect, it } from "vitest";
import { manualRunHint, doctorHint, sessionsHint } from "../../../../src/apps/cli/agents/hints.ts";

describe("a suggested command", () => {
  const agent = {
    name: "sh",
    command: "sh",
    args: ["-c", "echo boom >&2; exit 3"],
    from: "command line",
  } as const;
  it("keeps the quotes inside the agent's command line", () => {
    expect(doctorHint(agent)).toBe(
      `dragoman doctor --agent-command "sh -c 'echo boom >&2; exit 3'"`,
    );
    expect(manualRunHint(agent)).toBe(
      "sh -c 'echo boom >&2; exit 3' in a terminal, to see its own output",
    );
  });
  it("repeats the version of the protocol that was asked for", () => {
    const named = { ...agent, name: "mine", from: "settings", protocol: 2 } as const;
    expect(doctorHint(named)).toBe("dragoman doctor mine --protocol 2");
    expect(sessionsHint(named)).toBe("dragoman sessions list -a mine --protocol 2");
  });
});

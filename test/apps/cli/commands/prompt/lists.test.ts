import { describe, expect, it } from "vitest";
import { events, run, withAgent } from "../../support/run.ts";
import { foldersForAll } from "../setup.ts";

const folders = foldersForAll();
describe("lists", () => {
  it("are printed in a fixed order before the answer, with blank lines and the agent's name", async () => {
    const argv = [...withAgent("commands-late", "auth"), "--auth", "login"];
    const { out, code } = await run(
      [...argv, "--list-commands", "--list-modes", "--list-caps", "hello"],
      folders,
    );
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "Capabilities of node (The CLI's agent 9.9)",
        "  protocol version: 1",
        "  loadSession: yes",
        "  promptCapabilities.image: yes",
        "  sessionCapabilities.list: yes",
        "  sessionCapabilities.delete: yes",
        "  auth methods:",
        "    login: Log in",
        "",
        "Modes of node (The CLI's agent 9.9)",
        "* ask (Ask): asks first",
        "  code (Code)",
        "",
        "Commands of node (The CLI's agent 9.9)",
        "  /plan <what for>: make a plan",
        "  /test: run the tests",
        "Hello, world",
      ].join("\n"),
    );
  });

  it("of models and options mark the current value", async () => {
    const argv = [...withAgent(), "--model", "large", "--list-options", "--list-models"];
    const { code, out } = await run(argv, folders);
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "Models of node (The CLI's agent 9.9)",
        "  small (Small)",
        "* large (Large)",
        "",
        "Options of node (The CLI's agent 9.9)",
        "  model (Model)",
        "    small (Small)",
        "  * large (Large)",
        "  fast (Fast)",
        "    true",
        "  * false",
        "",
      ].join("\n"),
    );
    const all = events((await run([...argv, "-o", "events"], folders)).out);
    expect(all.find(({ type }) => type === "models")).toEqual({
      v: 1,
      type: "models",
      current: "large",
      models: [
        { id: "small", name: "Small" },
        { id: "large", name: "Large" },
      ],
    });
    expect(all.find(({ type }) => type === "options")).toMatchObject({
      options: [
        { id: "model", currentValue: "large" },
        { id: "fast", currentValue: false },
      ],
    });
    const none = [...withAgent("bare"), "--list-models", "--list-options"];
    expect((await run(none, folders)).out).toBe(
      "Models of node (The CLI's agent 9.9)\n  none\n\nOptions of node (The CLI's agent 9.9)\n  none\n",
    );
  });

  it("need no prompt, and capabilities need no session", async () => {
    const { out } = await run([...withAgent("hang-in-session"), "--list-caps"], folders);
    expect(out).toContain("Capabilities of node");
  });

  it("do not wait for commands forever", async () => {
    const { out, code } = await run([...withAgent("bare"), "--list-modes", "--list-commands"], {
      ...folders,
      timing: { commandsWaitMs: 50 },
    });
    expect(code).toBe(0);
    expect(out).toContain("Modes of node (The CLI's agent 9.9)\n  none\n");
    expect(out).toContain("Commands of node (The CLI's agent 9.9)\n  the agent sent none\n");
  });

  it("include commands that arrived before the session was open", async () => {
    const { out } = await run([...withAgent("commands-first"), "--list-commands"], folders);
    expect(out).toContain("/plan <what for>: make a plan");
  });

  it("are events in events mode, and only frames in jsonl mode", async () => {
    const flags = ["--list-caps", "--list-modes", "--list-commands"];
    const all = events(
      (await run([...withAgent("commands-first"), "-o", "events", ...flags], folders)).out,
    );
    expect(all.map(({ type }) => type)).toEqual([
      "agent",
      "capabilities",
      "session",
      "modes",
      "commands",
      "result",
    ]);
    const raw = await run([...withAgent("commands-first"), "-j", ...flags], folders);
    expect(raw.out).not.toContain("Capabilities of");
  });
});

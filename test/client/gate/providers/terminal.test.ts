import { describe, expect, it } from "vitest";
import type { TerminalProvider } from "../../../../src/client/gate/providers/provider.ts";
import { fakeTerminals } from "../fake-terminals.ts";
import { harness } from "../harness.ts";
import { CREATE, create, output } from "./terminal-calls.ts";

describe("the terminal service", () => {
  it("is neither advertised nor answered without a provider", async () => {
    await using h = harness({ permissions: "all" });
    expect(h.gate.capabilities.terminal).toBe(false);
    for (const method of ["create", "output", "wait_for_exit", "kill", "release"]) {
      const error = await h.failure(`terminal/${method}`, { command: "x", terminalId: "x" });
      expect(error.rpcCode).toBe(-32601);
    }
    await using off = harness({
      terminal: fakeTerminals().provider,
      capabilities: { terminal: false },
    });
    expect(off.gate.capabilities.terminal).toBe(false);
    expect((await off.failure(CREATE, { command: "x" })).rpcCode).toBe(-32601);
  });

  it("passes the request to its provider", async () => {
    const { provider, requests } = fakeTerminals();
    await using h = harness({ permissions: "all", terminal: provider });
    const terminalId = await create(h, "ls -l", { outputByteLimit: 5 });
    expect(requests[0]).toMatchObject({
      command: "ls -l",
      args: [],
      cwd: h.tree.ws,
      env: {},
      outputByteLimit: 5,
      terminalId,
    });
    expect(await output(h, terminalId)).toEqual({ output: "out", truncated: false });
  });

  it.each(["deny", "read", "write"] as const)("is denied by the policy %s", async (permissions) => {
    const { provider, requests } = fakeTerminals();
    await using h = harness({ permissions, terminal: provider });
    expect((await h.failure(CREATE, { command: "ls" })).rpcCode).toBe(-32003);
    expect(requests).toEqual([]);
  });

  it("limits the number of terminals that an agent may keep", async () => {
    const { provider } = fakeTerminals();
    await using h = harness({ permissions: "all", terminal: provider });
    const ids: string[] = [];
    for (let i = 0; i < 64; i++) ids.push(await create(h, "x"));
    expect((await h.failure(CREATE, { command: "x" })).message).toContain("release");
    await h.ask("terminal/release", { terminalId: ids[0] });
    await create(h, "x");
  });

  it("releases a terminal if its session closes while it is being started", async () => {
    const { provider, released } = fakeTerminals();
    let start: () => void = () => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    let onCreate: () => void = () => {};
    const createCalled = new Promise<void>((resolve) => {
      onCreate = resolve;
    });
    const slow: TerminalProvider = {
      async create(request) {
        onCreate();
        await started;
        return provider.create(request);
      },
    };
    await using h = harness({ permissions: "all", terminal: slow });
    const creating = h.failure(CREATE, { command: "x" });
    await createCalled;
    const closing = h.gate.closeSession("s1");
    start();
    await closing;
    expect(released).toHaveLength(1);
    expect((await creating).rpcCode).toBe(-32800);
  });

  it("waits for pending releases when it closes", async () => {
    const { provider } = fakeTerminals();
    let released = false;
    let finish: () => void = () => {};
    const slow: TerminalProvider = {
      create: async (request) => ({
        ...(await provider.create(request)),
        release: () =>
          new Promise<void>((resolve) => {
            finish = resolve;
          }).then(() => {
            released = true;
          }),
      }),
    };
    await using h = harness({ permissions: "all", terminal: slow });
    const terminalId = await create(h, "x");
    const releasing = h.ask("terminal/release", { terminalId });
    const closing = h.gate.close().then(() => expect(released).toBe(true));
    await new Promise(setImmediate);
    finish();
    await Promise.all([releasing, closing]);
  });

  it("keeps working if the provider loses a terminal", async () => {
    const { provider } = fakeTerminals();
    const losing: TerminalProvider = {
      create: async (request) => ({
        ...(await provider.create(request)),
        exited: Promise.reject(new Error("lost")),
      }),
    };
    await using h = harness({ permissions: "all", terminal: losing });
    const terminalId = await create(h, "x");
    await expect(h.ask("terminal/wait_for_exit", { terminalId })).rejects.toThrow("lost");
    expect(h.logs.some(({ message }) => message === "the terminal provider lost a terminal")).toBe(
      true,
    );
  });

  it("fails the request when the provider cannot start the command", async () => {
    const provider: TerminalProvider = { create: () => Promise.reject(new Error("full")) };
    await using h = harness({ permissions: "all", terminal: provider });
    await expect(h.ask(CREATE, { command: "x" })).rejects.toThrow("full");
  });
});

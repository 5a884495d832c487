import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TOOL_KINDS } from "../../../../src/protocol/acp/vocabulary.ts";
import { InvalidArgumentError } from "../../../../src/client/errors.ts";
import { AgentGate } from "../../../../src/client/gate/gate.ts";
import {
  PERMISSION_TABLE,
  type PermissionDecision,
  type Permissions,
  POLICY_NAMES,
} from "../../../../src/client/gate/permissions/policy.ts";
import { harness, OPTIONS } from "../harness.ts";
import {
  call,
  CAN_WRITE,
  CANCELLED,
  METHOD,
  scriptedAsk,
  selected,
  write,
} from "./permission-calls.ts";

describe("a named policy", () => {
  const cells = POLICY_NAMES.flatMap((policy) =>
    TOOL_KINDS.map((kind) => [policy, kind, PERMISSION_TABLE[policy][kind]] as const),
  );
  it.each(cells)("%s answers a tool call of kind %s with %s", async (policy, kind, verdict) => {
    await using h = harness({ permissions: policy });
    const answer = await h.ask(METHOD, call({ kind }));
    expect(answer).toEqual(selected(verdict === "allow" ? "once" : "no"));
    expect(h.session.questions).toBe(0);
  });

  it.each([[{}], [{ kind: null }], [{ kind: "teleport" }]])(
    "treats a tool call with %j as other, no matter what its title says",
    async (fields) => {
      await using h = harness({ permissions: "write" });
      const titled = { ...fields, title: "Read file", name: "read" };
      expect(await h.ask(METHOD, call(titled))).toEqual(selected("no"));
    },
  );

  it("defaults to read", async () => {
    await using h = harness();
    expect(await h.ask(METHOD, call({ kind: "read" }))).toEqual(selected("once"));
    expect(await h.ask(METHOD, call({ kind: "edit" }))).toEqual(selected("no"));
  });

  it("judges by the known tool call, and merges what the request adds", async () => {
    await using h = harness({ permissions: "write" });
    h.session.update({ toolCallId: "t1", kind: "edit", title: "Write" });
    expect(await h.ask(METHOD, call({ rawInput: { a: 1 } }))).toEqual(selected("once"));
    expect(h.session.toolCall("t1")).toMatchObject({ kind: "edit", rawInput: { a: 1 } });
  });

  it("merges the request into the tool call synchronously, in wire order", async () => {
    await using h = harness();
    const answer = h.ask(METHOD, call({ kind: "read", title: "seen" }));
    expect(h.session.toolCall("t1")?.title).toBe("seen");
    await answer;
  });

  it("answers cancelled if no option fits its decision", async () => {
    await using h = harness({ permissions: "all" });
    const always = [{ optionId: "a", name: "Always", kind: "allow_always" }];
    expect(await h.ask(METHOD, call({ kind: "read" }, always))).toEqual(CANCELLED);
    expect(await h.ask(METHOD, call({ kind: "read" }, []))).toEqual(CANCELLED);
  });
});

describe("an invalid permissions option", () => {
  it.each([["everything"], [{ policy: "yolo", ask: () => "allow" }], [{}], [true]])(
    "makes the gate throw: %j",
    (permissions) => {
      expect(() => new AgentGate({ permissions: permissions as Permissions })).toThrow(
        InvalidArgumentError,
      );
    },
  );
});

describe("a permission function", () => {
  it("receives the merged tool call, the agent's options and the session", async () => {
    const { ask, requests } = scriptedAsk("allow");
    await using h = harness({ permissions: ask });
    h.session.update({
      toolCallId: "t1",
      kind: "execute",
      title: "Bash",
      rawInput: { command: "ls" },
    });
    const odd = [...OPTIONS, { optionId: "x", name: "Maybe", kind: "perhaps" }];
    expect(await h.ask(METHOD, call({ status: "pending" }, odd))).toEqual(selected("once"));
    expect(requests[0]).toMatchObject({
      kind: "execute",
      subject: { type: "tool_call" },
      toolCall: { title: "Bash", rawInput: { command: "ls" }, status: "pending" },
      session: { id: "s1", roots: [h.tree.ws] },
    });
    expect(requests[0]?.options.map((o) => [o.optionId, o.kind])).toEqual([
      ["always", "allow_always"],
      ["once", "allow_once"],
      ["no", "reject_once"],
      ["x", "unknown"],
    ]);
    expect(h.session.questions).toBe(1);
  });

  it("may answer later, while other requests are answered", async () => {
    let decide: (decision: PermissionDecision) => void = () => {};
    const waiting = new Promise<PermissionDecision>((resolve) => {
      decide = resolve;
    });
    let count = 0;
    await using h = harness({ permissions: () => (count++ === 0 ? waiting : "deny") });
    const slow = h.ask(METHOD, call());
    expect(await h.ask(METHOD, call({ toolCallId: "t2" }))).toEqual(selected("no"));
    decide({ optionId: "always" });
    expect(await slow).toEqual(selected("always"));
  });

  it.each([
    ["throws", () => Promise.reject(new Error("no"))],
    ["returns an unknown decision", () => Promise.resolve("yes" as PermissionDecision)],
    ["returns nothing", () => Promise.resolve(undefined as unknown as PermissionDecision)],
    ["returns true", () => Promise.resolve(true as unknown as PermissionDecision)],
  ])("that %s counts as a denial", async (_case, permissions) => {
    await using h = harness({ permissions });
    expect(await h.ask(METHOD, call({ kind: "read" }))).toEqual(selected("no"));
    expect(h.logs.filter(({ level }) => level === "error")).toHaveLength(1);
  });

  it("that never returns does not delay a cancelled turn", async () => {
    const signals: AbortSignal[] = [];
    await using h = harness({
      permissions: ({ signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    const answers = ["t1", "t2", "t3"].map((toolCallId) => h.ask(METHOD, call({ toolCallId })));
    while (h.session.open < 3) await new Promise(setImmediate);
    h.session.cancel();
    expect(await Promise.all(answers)).toEqual([CANCELLED, CANCELLED, CANCELLED]);
    expect(h.session.open).toBe(0);
    expect(signals.every((signal) => signal.aborted)).toBe(true);
    // Requests that arrive after the cancellation are cancelled too.
    expect(await h.ask(METHOD, call())).toEqual(CANCELLED);
    h.session.nextTurn();
  });

  it("may be called hundreds of times at once without a warning", async () => {
    const warnings: Error[] = [];
    const record = (warning: Error): void => void warnings.push(warning);
    process.on("warning", record);
    await using h = harness({ permissions: () => new Promise(() => {}) });
    const answers = Array.from({ length: 200 }, (_, i) =>
      h.ask(METHOD, call({ toolCallId: `t${i}` })),
    );
    while (h.session.open < 200) await new Promise(setImmediate);
    h.session.cancel();
    expect(new Set((await Promise.all(answers)).map((one) => JSON.stringify(one))).size).toBe(1);
    process.off("warning", record);
    expect(warnings).toEqual([]);
  });

  it("is abandoned when the agent cancels its request, and when the gate closes", async () => {
    await using h = harness({ permissions: () => new Promise(() => {}) });
    const request = new AbortController();
    const first = h.ask(METHOD, call(), request.signal);
    const second = h.ask(METHOD, call({ toolCallId: "t2" }));
    while (h.session.open < 2) await new Promise(setImmediate);
    request.abort();
    expect(await first).toEqual(CANCELLED);
    await h.gate.close();
    expect(await second).toEqual(CANCELLED);
  });

  it("behind a policy is called only for work that the policy does not allow", async () => {
    const { ask, requests } = scriptedAsk("allow");
    await using h = harness({ permissions: { policy: "read", ask } });
    expect(await h.ask(METHOD, call({ kind: "read" }))).toEqual(selected("once"));
    expect(requests).toHaveLength(0);
    expect(await h.ask(METHOD, call({ kind: "edit" }))).toEqual(selected("once"));
    expect(requests.map(({ kind }) => kind)).toEqual(["edit"]);
  });

  it("is called for a tool call of an unknown kind", async () => {
    const { ask, requests } = scriptedAsk("allow");
    await using h = harness({ permissions: { policy: "write", ask } });
    await h.ask(METHOD, call({ kind: "teleport" }));
    expect(requests.map(({ kind }) => kind)).toEqual(["other"]);
  });
});

describe("a file request without a permission request", () => {
  it.each([
    ["deny", false, false],
    ["read", true, false],
    ["write", true, true],
    ["all", true, true],
  ] as const)(
    "under the policy %s may read: %s, may write: %s",
    async (permissions, reads, writes) => {
      await using h = harness({ permissions, capabilities: CAN_WRITE });
      writeFileSync(join(h.tree.ws, "a"), "a");
      const read = h.ask("fs/read_text_file", { path: join(h.tree.ws, "a") });
      const denied = { code: -32003, data: { reason: "permission-denied" } };
      if (reads) expect(await read).toEqual({ content: "a" });
      else await expect(read).rejects.toMatchObject(denied);
      if (writes) expect(await write(h, "b")).toEqual({});
      else await expect(write(h, "b")).rejects.toMatchObject(denied);
    },
  );

  it("shows the permission function what would be read or written, and where", async () => {
    const { ask, requests } = scriptedAsk("allow");
    await using h = harness({ permissions: ask, capabilities: CAN_WRITE });
    await write(h, "b");
    expect(requests[0]).toMatchObject({
      kind: "edit",
      subject: { type: "write_file", path: join(h.tree.ws, "b"), content: "x" },
      toolCall: undefined,
    });
    await h.ask("fs/read_text_file", { path: join(h.tree.ws, "b") });
    expect(requests[1]).toMatchObject({ kind: "read", subject: { type: "read_file" } });
    expect(requests[0]?.options.map(({ kind }) => kind)).toEqual([
      "allow_once",
      "allow_always",
      "reject_once",
      "reject_always",
    ]);
  });

  it("fails with -32800 when the turn is cancelled during the question", async () => {
    await using h = harness({ permissions: () => new Promise(() => {}), capabilities: CAN_WRITE });
    const writing = write(h, "b");
    while (h.session.open < 1) await new Promise(setImmediate);
    h.session.cancel();
    await expect(writing).rejects.toMatchObject({ code: -32800 });
  });
});

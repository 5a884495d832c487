import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { TOOL_KINDS } from "../../src/acp/vocabulary.ts";
import { toPermissionChoices } from "../../src/acp/permissions.ts";
import {
  chooseOption,
  type PermissionDecision,
  type PermissionRequest,
  type Permissions,
} from "../../src/client/gate/permissions/policy.ts";
import { InvalidArgumentError } from "../../src/client/errors.ts";
import { createGate } from "../../src/client/gate/gate.ts";
import { PERMISSION_TABLE, POLICY_NAMES } from "../../src/client/gate/permissions/table.ts";
import { harness, OPTIONS, type Harness } from "./gate-harness.ts";

const METHOD = "session/request_permission";
const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });
const CANCELLED = { outcome: { outcome: "cancelled" } };

/** Agents name a tool call by an id; the rest is what the test is about. */
const call = (fields: object = {}, options: readonly object[] = OPTIONS) => ({
  toolCall: { toolCallId: "t1", ...fields },
  options,
});

/** A function that answers from a list and remembers what it was asked. */
function person(...answers: readonly unknown[]) {
  const asked: PermissionRequest[] = [];
  let next = 0;
  const ask = (request: PermissionRequest): PermissionDecision => {
    asked.push(request);
    return answers[Math.min(next++, answers.length - 1)] as PermissionDecision;
  };
  return { ask, asked };
}

describe("a named policy", () => {
  const cells = POLICY_NAMES.flatMap((policy) =>
    TOOL_KINDS.map((kind) => [policy, kind, PERMISSION_TABLE[policy][kind]] as const),
  );
  it.each(cells)("%s, asked about %s, says %s", async (policy, kind, verdict) => {
    await using h = harness({ permissions: policy });
    const answer = await h.ask(METHOD, call({ kind }));
    expect(answer).toEqual(selected(verdict === "allow" ? "once" : "no"));
    expect(h.session.questions).toBe(0);
  });

  it.each([[{}], [{ kind: null }], [{ kind: "teleport" }]])(
    "takes a tool call with %j for other, whatever its title says",
    async (fields) => {
      await using h = harness({ permissions: "write" });
      const titled = { ...fields, title: "Read file", name: "read" };
      expect(await h.ask(METHOD, call(titled))).toEqual(selected("no"));
    },
  );

  it("is read unless told", async () => {
    await using h = harness();
    expect(await h.ask(METHOD, call({ kind: "read" }))).toEqual(selected("once"));
    expect(await h.ask(METHOD, call({ kind: "edit" }))).toEqual(selected("no"));
  });

  it("judges by what was announced before, and remembers what the request adds", async () => {
    await using h = harness({ permissions: "write" });
    h.session.update({ toolCallId: "t1", kind: "edit", title: "Write" });
    expect(await h.ask(METHOD, call({ rawInput: { a: 1 } }))).toEqual(selected("once"));
    expect(h.session.toolCall("t1")).toMatchObject({ kind: "edit", rawInput: { a: 1 } });
  });

  it("merges the request at once, in wire order", async () => {
    await using h = harness();
    const answer = h.ask(METHOD, call({ kind: "read", title: "seen" }));
    expect(h.session.toolCall("t1")?.title).toBe("seen");
    await answer;
  });
});

describe("a configuration that means nothing", () => {
  it.each([["everything"], [{ policy: "yolo", ask: () => "allow" }], [{}], [true]])(
    "is refused at once: %j",
    (permissions) => {
      expect(() => createGate({ permissions: permissions as Permissions })).toThrow(
        InvalidArgumentError,
      );
    },
  );
});

describe("choosing among options", () => {
  const options = (...kinds: string[]) =>
    toPermissionChoices(kinds.map((kind, i) => ({ optionId: `o${i}`, name: kind, kind })));

  it.each([
    ["allow", ["allow_always", "allow_once", "allow_once"], "o1"],
    ["allow", ["allow_always", "reject_once"], undefined],
    ["allow", ["allow", "allow_everything", ""], undefined],
    ["deny", ["allow_once", "reject_once", "reject_once"], "o1"],
    ["deny", ["allow_once", "reject_always"], undefined],
    ["deny", [], undefined],
    ["cancel", ["allow_once", "reject_once"], undefined],
    [{ optionId: "o0" }, ["allow_always"], "o0"],
    [{ optionId: "o0" }, ["something new"], "o0"],
    [{ optionId: "gone" }, ["allow_once"], undefined],
  ] as const)("%j among %j gives %s", (decision, kinds, chosen) => {
    expect(chooseOption(decision, options(...kinds))?.optionId).toBe(chosen);
  });

  it("comes to cancelled when nothing suits", async () => {
    await using h = harness({ permissions: "all" });
    const always = [{ optionId: "a", name: "Always", kind: "allow_always" }];
    expect(await h.ask(METHOD, call({ kind: "read" }, always))).toEqual(CANCELLED);
    expect(await h.ask(METHOD, call({ kind: "read" }, []))).toEqual(CANCELLED);
  });
});

describe("a function", () => {
  it("sees the whole request: the merged call, the agent's options, the session", async () => {
    const { ask, asked } = person("allow");
    await using h = harness({ permissions: ask });
    h.session.update({
      toolCallId: "t1",
      kind: "execute",
      title: "Bash",
      rawInput: { command: "ls" },
    });
    const odd = [...OPTIONS, { optionId: "x", name: "Maybe", kind: "perhaps" }];
    expect(await h.ask(METHOD, call({ status: "pending" }, odd))).toEqual(selected("once"));
    expect(asked[0]).toMatchObject({
      kind: "execute",
      subject: { type: "tool_call" },
      toolCall: { title: "Bash", rawInput: { command: "ls" }, status: "pending" },
      session: { id: "s1", roots: [h.tree.ws] },
    });
    expect(asked[0]?.options.map((o) => [o.optionId, o.kind])).toEqual([
      ["always", "allow_always"],
      ["once", "allow_once"],
      ["no", "reject_once"],
      ["x", "unknown"],
    ]);
    expect(h.session.questions).toBe(1);
  });

  it("may answer later, and others are answered meanwhile", async () => {
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
    ["answers nonsense", () => Promise.resolve("yes" as PermissionDecision)],
    ["answers nothing", () => Promise.resolve(undefined as unknown as PermissionDecision)],
    ["answers true", () => Promise.resolve(true as unknown as PermissionDecision)],
  ])("that %s has refused", async (_what, permissions) => {
    await using h = harness({ permissions });
    expect(await h.ask(METHOD, call({ kind: "read" }))).toEqual(selected("no"));
    expect(h.logs.filter(({ level }) => level === "error")).toHaveLength(1);
  });

  it("that never returns holds nothing up when the turn is cancelled", async () => {
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
    // Late questions of a cancelled turn too, even where a policy would allow.
    expect(await h.ask(METHOD, call())).toEqual(CANCELLED);
    h.session.nextTurn();
  });

  it("may be asked hundreds of things at once without a warning", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on("warning", note);
    await using h = harness({ permissions: () => new Promise(() => {}) });
    const answers = Array.from({ length: 200 }, (_, i) =>
      h.ask(METHOD, call({ toolCallId: `t${i}` })),
    );
    while (h.session.open < 200) await new Promise(setImmediate);
    h.session.cancel();
    expect(new Set((await Promise.all(answers)).map((one) => JSON.stringify(one))).size).toBe(1);
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  it("is let go when the agent withdraws its request, and when the gate closes", async () => {
    await using h = harness({ permissions: () => new Promise(() => {}) });
    const withdrawn = new AbortController();
    const first = h.ask(METHOD, call(), withdrawn.signal);
    const second = h.ask(METHOD, call({ toolCallId: "t2" }));
    while (h.session.open < 2) await new Promise(setImmediate);
    withdrawn.abort();
    expect(await first).toEqual(CANCELLED);
    await h.gate.close();
    expect(await second).toEqual(CANCELLED);
  });

  it("behind a policy is asked only about what the policy does not allow", async () => {
    const { ask, asked } = person("allow");
    await using h = harness({ permissions: { policy: "read", ask } });
    expect(await h.ask(METHOD, call({ kind: "read" }))).toEqual(selected("once"));
    expect(asked).toHaveLength(0);
    expect(await h.ask(METHOD, call({ kind: "edit" }))).toEqual(selected("once"));
    expect(asked.map(({ kind }) => kind)).toEqual(["edit"]);
  });

  it("is asked about a kind nobody knows", async () => {
    const { ask, asked } = person("allow");
    await using h = harness({ permissions: { policy: "write", ask } });
    await h.ask(METHOD, call({ kind: "teleport" }));
    expect(asked.map(({ kind }) => kind)).toEqual(["other"]);
  });
});

describe("the same policy guards files, whether or not the agent asks", () => {
  const write = (h: Harness, name: string) =>
    h.ask("fs/write_text_file", {
      path: join(h.tree.ws, name),
      content: "x",
    });
  const canWrite = { fs: { writeTextFile: true } };

  it.each([
    ["deny", false, false],
    ["read", true, false],
    ["write", true, true],
    ["all", true, true],
  ] as const)("%s: reads %s, writes %s", async (permissions, reads, writes) => {
    await using h = harness({ permissions, capabilities: canWrite });
    writeFileSync(join(h.tree.ws, "a"), "a");
    const read = h.ask("fs/read_text_file", { path: join(h.tree.ws, "a") });
    const denied = { code: -32003, data: { reason: "permission-denied" } };
    if (reads) expect(await read).toEqual({ content: "a" });
    else await expect(read).rejects.toMatchObject(denied);
    if (writes) expect(await write(h, "b")).toEqual({});
    else await expect(write(h, "b")).rejects.toMatchObject(denied);
  });

  it("shows a function what would be read and written, and where", async () => {
    const { ask, asked } = person("allow");
    await using h = harness({ permissions: ask, capabilities: canWrite });
    await write(h, "b");
    expect(asked[0]).toMatchObject({
      kind: "edit",
      subject: { type: "write_file", path: join(h.tree.ws, "b"), content: "x" },
      toolCall: undefined,
    });
    await h.ask("fs/read_text_file", { path: join(h.tree.ws, "b") });
    expect(asked[1]).toMatchObject({ kind: "read", subject: { type: "read_file" } });
    expect(asked[0]?.options.map(({ kind }) => kind)).toEqual([
      "allow_once",
      "allow_always",
      "reject_once",
      "reject_always",
    ]);
  });

  it("answers a question about a file with -32800 when the turn is cancelled", async () => {
    await using h = harness({ permissions: () => new Promise(() => {}), capabilities: canWrite });
    const writing = write(h, "b");
    while (h.session.open < 1) await new Promise(setImmediate);
    h.session.cancel();
    await expect(writing).rejects.toMatchObject({ code: -32800 });
  });

  it("does not ask twice for what its own tool call was allowed, once and for exactly that", async () => {
    const { ask, asked } = person("allow", "allow", "deny");
    await using h = harness({ permissions: ask, capabilities: canWrite });
    const path = join(h.tree.ws, "b");
    const diff = { type: "diff", path, oldText: null, newText: "x" };
    await h.ask(METHOD, call({ kind: "edit", content: [diff] }));
    await write(h, "b");
    expect(asked).toHaveLength(1);
    await write(h, "c");
    expect(asked).toHaveLength(2);
    await expect(write(h, "b")).rejects.toMatchObject({ code: -32003 });
    expect(asked).toHaveLength(3);
  });

  it.each([
    ["the paths of its diffs", { content: [{ type: "diff", path: "b", newText: "x" }] }, true],
    ["its locations", { locations: [{ path: "WS/b" }] }, true],
    ["its input", { rawInput: { file_path: "WS/b" } }, true],
    ["a title", { title: "Write WS/b" }, false],
    [
      "locations beside a diff of something else",
      {
        content: [{ type: "diff", path: "WS/other", newText: "x" }],
        locations: [{ path: "WS/b" }],
      },
      false,
    ],
  ])("takes what a call works on from %s: %j", async (_what, fields, covered) => {
    const { ask, asked } = person("allow");
    await using h = harness({ permissions: ask, capabilities: canWrite });
    const placed: object = JSON.parse(JSON.stringify(fields).replaceAll("WS", h.tree.ws));
    await h.ask(METHOD, call({ kind: "edit", ...placed }));
    await write(h, "b");
    expect(asked).toHaveLength(covered ? 1 : 2);
  });

  it.each(["read", "delete", "move", "execute", "other"])(
    "does not take an allowed call of kind %s for leave to write",
    async (kind) => {
      const { ask, asked } = person("allow");
      await using h = harness({ permissions: ask, capabilities: canWrite });
      await h.ask(METHOD, call({ kind, locations: [{ path: join(h.tree.ws, "b") }] }));
      await write(h, "b");
      expect(asked).toHaveLength(2);
    },
  );

  it.each([
    ["denied", "deny", "no"],
    ["answered with an option of no known kind", { optionId: "x" }, "x"],
  ])("gives no leave by a call that was %s", async (_what, first, chosen) => {
    const { ask, asked } = person(first, "allow");
    await using h = harness({ permissions: ask, capabilities: canWrite });
    const options = [...OPTIONS, { optionId: "x", name: "Yes, allow", kind: "yes" }];
    const fields = { kind: "edit", locations: [{ path: join(h.tree.ws, "b") }] };
    expect(await h.ask(METHOD, call(fields, options))).toEqual(selected(chosen));
    await write(h, "b");
    expect(asked).toHaveLength(2);
  });

  it("gives no leave by a call that is over", async () => {
    const { ask, asked } = person("allow");
    await using h = harness({ permissions: ask, capabilities: canWrite });
    await h.ask(METHOD, call({ kind: "edit", locations: [{ path: join(h.tree.ws, "b") }] }));
    h.session.update({ toolCallId: "t1", status: "completed" });
    await write(h, "b");
    expect(asked).toHaveLength(2);
  });
});

describe("a decision by an always option", () => {
  const canWrite = { fs: { writeTextFile: true } };
  const edit = (h: Harness, name: string, id: string) =>
    h.ask(
      METHOD,
      call({ toolCallId: id, kind: "edit", locations: [{ path: join(h.tree.ws, name) }] }),
    );
  const write = (h: Harness, name: string) =>
    h.ask("fs/write_text_file", { path: join(h.tree.ws, name), content: "x" });

  it("of the agent's holds for exactly what it was chosen for", async () => {
    const { ask, asked } = person({ optionId: "always" }, "deny");
    await using h = harness({ permissions: ask, capabilities: canWrite });
    expect(await edit(h, "b", "t1")).toEqual(selected("always"));
    // No "always" unasked: the repetition is answered with the option for once.
    expect(await edit(h, "b", "t2")).toEqual(selected("once"));
    await write(h, "b");
    await write(h, "b");
    await write(h, "b");
    expect(asked).toHaveLength(1);
    expect(await edit(h, "c", "t3")).toEqual(selected("no"));
    expect(asked).toHaveLength(2);
  });

  it("does not stretch to a call that touches more, inside or outside", async () => {
    const { ask, asked } = person({ optionId: "always" }, "deny");
    await using h = harness({ permissions: ask });
    await edit(h, "b", "t1");
    for (const more of [join(h.tree.ws, "c"), join(h.tree.outside, "c")]) {
      const locations = [{ path: join(h.tree.ws, "b") }, { path: more }];
      await h.ask(METHOD, call({ toolCallId: more, kind: "edit", locations }));
    }
    expect(asked).toHaveLength(3);
  });

  it("is not turned round by an agent that gives its id to another option", async () => {
    const reject = { optionId: "x", name: "Never", kind: "reject_always" };
    const { ask, asked } = person({ optionId: "x" }, "cancel");
    await using h = harness({ permissions: ask });
    const fields = { kind: "edit", locations: [{ path: join(h.tree.ws, "b") }] };
    expect(await h.ask(METHOD, call(fields, [reject]))).toEqual(selected("x"));
    expect(await h.ask(METHOD, call(fields, [reject]))).toEqual(selected("x"));
    expect(asked).toHaveLength(1);
    const allow = { optionId: "x", name: "Never", kind: "allow_always" };
    expect(await h.ask(METHOD, call(fields, [allow]))).toEqual(CANCELLED);
    expect(asked).toHaveLength(2);
  });

  it("of ours holds for its kind in this session", async () => {
    const { ask, asked } = person({ optionId: "allow_always" }, { optionId: "reject_always" });
    await using h = harness({ permissions: ask, capabilities: canWrite });
    await write(h, "b");
    await write(h, "c");
    expect(asked).toHaveLength(1);
    const read = () => h.ask("fs/read_text_file", { path: join(h.tree.ws, "b") });
    await expect(read()).rejects.toMatchObject({ code: -32003 });
    await expect(read()).rejects.toMatchObject({ code: -32003 });
    expect(asked).toHaveLength(2);
    await h.gate.closeSession("s1");
    await write(h, "b").catch(() => {});
    expect(asked).toHaveLength(3);
  });

  it.each([
    ["session", { sticky: "session" }, {}, 2],
    ["agent", { sticky: "agent" }, {}, 1],
    ["agent, by the decision", {}, { remember: "agent" }, 1],
    ["nobody", { sticky: "off" }, {}, 2],
  ] as const)("is remembered for: %s", async (_whom, options, extra, questions) => {
    const { ask, asked } = person({ optionId: "allow_always", ...extra });
    await using h = harness({ permissions: ask, capabilities: canWrite, ...options });
    await write(h, "b");
    await h.gate.closeSession("s1");
    await write(h, "c");
    expect(asked).toHaveLength(questions);
  });
});

import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TOOL_KINDS } from "../../../../src/protocol/acp/vocabulary.ts";
import { InvalidArgumentError } from "../../../../src/client/errors.ts";
import { AgentGate } from "../../../../src/client/gate/gate.ts";
import {
  PERMISSION_TABLE,
  type PermissionRequest,
  type Permissions,
  POLICY_NAMES,
} from "../../../../src/client/gate/permissions/policy.ts";
import type { PermissionDecision } from "../../../../src/protocol/acp/index.ts";
import { harness, type Harness, OPTIONS } from "../harness.ts";
import {
  call,
  CAN_WRITE,
  CANCELLED,
  METHOD,
  scriptedAsk,
  selected,
  write,
} from "./permission-calls.ts";
import fc from "fast-check";
import { fakeTerminals } from "../fake-terminals.ts";

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

describe("a decision of a function", () => {
  it.each<[PermissionDecision, unknown]>([
    ["allow", selected("once")],
    ["allow_always", selected("always")],
    ["deny", selected("no")],
    ["cancel", CANCELLED],
    [{ optionId: "always", remember: "off", meta: { a: 1 } }, withMeta("always", { a: 1 })],
    [
      { decision: "deny", message: "not on Friday" },
      withMeta("no", { "dragoman/message": "not on Friday" }),
    ],
  ])("%j selects an option that the agent offers", async (decision, answer) => {
    await using h = harness({ permissions: () => decision });
    expect(await h.ask(METHOD, call({ kind: "edit" }))).toEqual(answer);
  });

  it("of allow_always allows once if nothing else is offered", async () => {
    await using h = harness({ permissions: () => "allow_always" });
    const once = [{ optionId: "1", name: "Yes", kind: "allow_once" }];
    expect(await h.ask(METHOD, call({ kind: "edit" }, once))).toEqual(selected("1"));
  });

  it("with a message tells an agent that asks the client to do the work", async () => {
    const permissions = () => ({ decision: "deny", message: "not on Friday" }) as const;
    await using h = harness({ permissions, capabilities: CAN_WRITE });
    await expect(write(h, "b")).rejects.toThrow("Permission denied: not on Friday");
  });
});

function withMeta(optionId: string, _meta: object) {
  return { outcome: { outcome: "selected", optionId, _meta } };
}

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
      const denied = { rpcCode: -32003, data: { reason: "permission-denied" } };
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
    await expect(writing).rejects.toMatchObject({ rpcCode: -32800 });
  });
});

describe("a request with two options of the same id", () => {
  it.each(["all", "read", "deny"] as const)(
    "is cancelled under the policy %s",
    async (permissions) => {
      await using h = harness({ permissions });
      const options = [
        { optionId: "x", name: "Reject", kind: "reject_once" },
        { optionId: "x", name: "Allow", kind: "allow_once" },
      ];
      expect(await h.ask(METHOD, call({ kind: "read" }, options))).toEqual(CANCELLED);
    },
  );
  it("reaches no permission function", async () => {
    const { ask, requests } = scriptedAsk({ optionId: "x" });
    await using h = harness({ permissions: ask });
    const options = [...OPTIONS, { optionId: "no", name: "Allow", kind: "allow_once" }];
    expect(await h.ask(METHOD, call({ kind: "edit" }, options))).toEqual(CANCELLED);
    expect(requests).toEqual([]);
  });
});

describe("a path outside the roots", () => {
  it.each([
    ["read", "read", "no"],
    ["read", "search", "no"],
    ["write", "edit", "no"],
    ["write", "read", "no"],
    ["all", "edit", "once"],
  ] as const)(
    "under the policy %s, declared by a call of kind %s, is answered with %s",
    async (permissions, kind, optionId) => {
      await using h = harness({ permissions });
      const locations = [{ path: "/etc/shadow" }];
      expect(await h.ask(METHOD, call({ kind, locations }))).toEqual(selected(optionId));
    },
  );
  it("may be read if the host lets reads leave the workspace", async () => {
    await using h = harness({ permissions: "write", allowReadOutsideWorkspace: true });
    const locations = [{ path: "/etc/hostname" }];
    expect(await h.ask(METHOD, call({ kind: "read", locations }))).toEqual(selected("once"));
    expect(await h.ask(METHOD, call({ kind: "edit", locations }))).toEqual(selected("no"));
  });
  it("is found behind a link inside the roots", async () => {
    await using h = harness({ permissions: "write" });
    symlinkSync("/etc", join(h.tree.ws, "link"));
    const inside = [{ path: join(h.tree.ws, "a") }];
    const linked = [{ path: join(h.tree.ws, "link/passwd") }];
    expect(await h.ask(METHOD, call({ kind: "edit", locations: inside }))).toEqual(
      selected("once"),
    );
    expect(await h.ask(METHOD, call({ kind: "edit", locations: linked }))).toEqual(selected("no"));
  });
  it("is not covered by an earlier choice that allowed everything of its kind", async () => {
    const { ask, requests } = scriptedAsk({ optionId: "allow_always" }, "deny");
    await using h = harness({ permissions: ask, capabilities: CAN_WRITE });
    await write(h, "a");
    const inside = [{ path: join(h.tree.ws, "b") }];
    expect(await h.ask(METHOD, call({ kind: "edit", locations: inside }))).toEqual(
      selected("once"),
    );
    expect(requests).toHaveLength(1);
    const outside = [{ path: "/etc/passwd" }];
    expect(await h.ask(METHOD, call({ kind: "edit", locations: outside }))).toEqual(selected("no"));
    expect(requests).toHaveLength(2);
  });
});

describe("a call that names more than a hundred paths", () => {
  it("is never covered by an earlier always", async () => {
    const { ask, requests } = scriptedAsk({ optionId: "always" });
    await using h = harness({ permissions: ask });
    const locations = Array.from({ length: 101 }, (_, n) => ({ path: join(h.tree.ws, `f${n}`) }));
    await h.ask(METHOD, call({ kind: "edit", locations }));
    await h.ask(METHOD, call({ kind: "edit", locations }));
    expect(requests).toHaveLength(2);
    expect(requests[0]?.targets).toMatchObject({ isComplete: false });
  });
});

describe("the targets of a request", () => {
  it("include the variables and the folder that a call names for its command", async () => {
    const { ask, requests } = scriptedAsk("deny");
    await using h = harness({ permissions: ask });
    const rawInput = { command: "make", cwd: "/", env: { MAKEFLAGS: "-f x" } };
    await h.ask(METHOD, call({ kind: "execute", rawInput }));
    expect(requests[0]?.targets.commands).toEqual([
      {
        line: "make",
        words: undefined,
        cwd: { path: "/", realPath: "/", isInside: false },
        env: { MAKEFLAGS: "-f x" },
      },
    ]);
  });

  const NAMES = ["a", "b", "sub/c", "link/d", "link", "../outside/e"];
  const name = fc.constantFrom(...NAMES);
  const toolCall = fc.record({
    kind: fc.constantFrom("read", "edit", "execute", "search", "other"),
    diffs: fc.array(name, { maxLength: 2 }),
    locations: fc.array(name, { maxLength: 2 }),
    input: fc.option(name, { nil: undefined }),
    command: fc.option(fc.constantFrom("ls", "ls -l", "make"), { nil: undefined }),
  });

  it("show everything that a grant covers, for any tool call", async () => {
    await fc.assert(
      fc.asyncProperty(
        toolCall,
        name,
        async ({ kind, diffs, locations, input, command }, tried) => {
          const requests: PermissionRequest[] = [];
          const { provider } = fakeTerminals();
          await using h = harness({
            terminal: provider,
            capabilities: CAN_WRITE,
            permissions: (request) => {
              requests.push(request);
              return requests.length === 1 ? "allow" : "deny";
            },
          });
          symlinkSync(h.tree.outside, join(h.tree.ws, "link"));
          const at = (path: string): string => join(h.tree.ws, path);
          await h.ask(
            METHOD,
            call({
              kind,
              title: "Read the documentation",
              content: diffs.map((path) => ({ type: "diff", path: at(path), newText: "x" })),
              locations: locations.map((path) => ({ path: at(path) })),
              rawInput: { ...(input && { path: at(input) }), ...(command && { command }) },
            }),
          );
          const shown = requests[0]?.targets;
          const wasAsked = async (method: string, params: object): Promise<boolean> => {
            const before = requests.length;
            await h.ask(method, params).catch(() => {});
            return requests.length > before;
          };
          // Everything that now works without a question was shown in the first one.
          for (const path of [tried, ...NAMES]) {
            const params = { path: at(path), content: "x" };
            if (await wasAsked("fs/write_text_file", params)) continue;
            const isShown = shown?.paths.some((target) => target.path === at(path)) === true;
            const isBlocked = path.startsWith("link") || path.startsWith("..");
            expect(isShown || isBlocked).toBe(true);
          }
          for (const line of ["ls", "ls -l", "make"]) {
            if (await wasAsked("terminal/create", { command: line })) continue;
            expect(shown?.commands.map((one) => one.line)).toContain(line);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("an allowed tool call", () => {
  it("covers one write to exactly the file that it named", async () => {
    const { ask, requests } = scriptedAsk("allow", "allow", "deny");
    await using h = harness({ permissions: ask, capabilities: CAN_WRITE });
    const path = join(h.tree.ws, "b");
    const diff = { type: "diff", path, oldText: null, newText: "x" };
    await h.ask(METHOD, call({ kind: "edit", content: [diff] }));
    await write(h, "b");
    expect(requests).toHaveLength(1);
    await write(h, "c");
    expect(requests).toHaveLength(2);
    await expect(write(h, "b")).rejects.toMatchObject({ rpcCode: -32003 });
    expect(requests).toHaveLength(3);
  });

  it.each(["read", "delete", "move", "execute", "other"])(
    "of kind %s does not cover a write",
    async (kind) => {
      const { ask, requests } = scriptedAsk("allow");
      await using h = harness({ permissions: ask, capabilities: CAN_WRITE });
      await h.ask(METHOD, call({ kind, locations: [{ path: join(h.tree.ws, "b") }] }));
      await write(h, "b");
      expect(requests).toHaveLength(2);
    },
  );

  it("covers no write once it is completed", async () => {
    const { ask, requests } = scriptedAsk("allow");
    await using h = harness({ permissions: ask, capabilities: CAN_WRITE });
    await h.ask(METHOD, call({ kind: "edit", locations: [{ path: join(h.tree.ws, "b") }] }));
    h.session.update({ toolCallId: "t1", status: "completed" });
    await write(h, "b");
    expect(requests).toHaveLength(2);
  });
});

describe("a tool call that was not allowed", () => {
  it.each([
    ["it was denied", "deny", "no"],
    ["it was answered with an option of an unknown kind", { optionId: "x" }, "x"],
  ])("covers no write: %s", async (_case, first, chosen) => {
    const { ask, requests } = scriptedAsk(first, "allow");
    await using h = harness({ permissions: ask, capabilities: CAN_WRITE });
    const options = [...OPTIONS, { optionId: "x", name: "Yes, allow", kind: "yes" }];
    const fields = { kind: "edit", locations: [{ path: join(h.tree.ws, "b") }] };
    expect(await h.ask(METHOD, call(fields, options))).toEqual(selected(chosen));
    await write(h, "b");
    expect(requests).toHaveLength(2);
  });
});

describe("the choice of an always option", () => {
  const edit = (h: Harness, name: string, id: string) =>
    h.ask(
      METHOD,
      call({ toolCallId: id, kind: "edit", locations: [{ path: join(h.tree.ws, name) }] }),
    );

  it("from the agent covers exactly the targets it was chosen for", async () => {
    const { ask, requests } = scriptedAsk({ optionId: "always" }, "deny");
    await using h = harness({ permissions: ask, capabilities: CAN_WRITE });
    expect(await edit(h, "b", "t1")).toEqual(selected("always"));
    // A repeated request is answered with the once option: the user did not choose always for it.
    expect(await edit(h, "b", "t2")).toEqual(selected("once"));
    await write(h, "b");
    await write(h, "b");
    await write(h, "b");
    expect(requests).toHaveLength(1);
    expect(await edit(h, "c", "t3")).toEqual(selected("no"));
    expect(requests).toHaveLength(2);
  });

  it("does not cover a call with more targets, inside or outside the workspace", async () => {
    const { ask, requests } = scriptedAsk({ optionId: "always" }, "deny");
    await using h = harness({ permissions: ask });
    await edit(h, "b", "t1");
    for (const more of [join(h.tree.ws, "c"), join(h.tree.outside, "c")]) {
      const locations = [{ path: join(h.tree.ws, "b") }, { path: more }];
      await h.ask(METHOD, call({ toolCallId: more, kind: "edit", locations }));
    }
    expect(requests).toHaveLength(3);
  });

  it("is not reversed if the agent gives its id to another option", async () => {
    const reject = { optionId: "x", name: "Never", kind: "reject_always" };
    const { ask, requests } = scriptedAsk({ optionId: "x" }, "cancel");
    await using h = harness({ permissions: ask });
    const fields = { kind: "edit", locations: [{ path: join(h.tree.ws, "b") }] };
    expect(await h.ask(METHOD, call(fields, [reject]))).toEqual(selected("x"));
    expect(await h.ask(METHOD, call(fields, [reject]))).toEqual(selected("x"));
    expect(requests).toHaveLength(1);
    const allow = { optionId: "x", name: "Never", kind: "allow_always" };
    expect(await h.ask(METHOD, call(fields, [allow]))).toEqual(CANCELLED);
    expect(requests).toHaveLength(2);
  });

  it("from the client covers all work of its kind in this session", async () => {
    const { ask, requests } = scriptedAsk(
      { optionId: "allow_always" },
      { optionId: "reject_always" },
    );
    await using h = harness({ permissions: ask, capabilities: CAN_WRITE });
    await write(h, "b");
    await write(h, "c");
    expect(requests).toHaveLength(1);
    const read = () => h.ask("fs/read_text_file", { path: join(h.tree.ws, "b") });
    await expect(read()).rejects.toMatchObject({ rpcCode: -32003 });
    await expect(read()).rejects.toMatchObject({ rpcCode: -32003 });
    expect(requests).toHaveLength(2);
    await h.gate.closeSession("s1");
    await write(h, "b").catch(() => {});
    expect(requests).toHaveLength(3);
  });

  it.each([
    ["for the session", { sticky: "session" }, {}, 2],
    ["for the agent", { sticky: "agent" }, {}, 1],
    ["for the agent if the decision says so", {}, { remember: "agent" }, 1],
    ["not at all", { sticky: "off" }, {}, 2],
  ] as const)("is remembered %s", async (_scope, options, extra, questions) => {
    const { ask, requests } = scriptedAsk({ optionId: "allow_always", ...extra });
    await using h = harness({ permissions: ask, capabilities: CAN_WRITE, ...options });
    await write(h, "b");
    await h.gate.closeSession("s1");
    await write(h, "c");
    expect(requests).toHaveLength(questions);
  });
});

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { harness, OPTIONS, type Harness } from "../harness.ts";
import {
  call,
  CAN_WRITE,
  CANCELLED,
  METHOD,
  scriptedAsk,
  selected,
  write,
} from "./permission-calls.ts";

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
    await expect(write(h, "b")).rejects.toMatchObject({ code: -32003 });
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
    await expect(read()).rejects.toMatchObject({ code: -32003 });
    await expect(read()).rejects.toMatchObject({ code: -32003 });
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

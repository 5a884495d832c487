import { symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PermissionRequest } from "../../../../src/client/gate/permissions/policy.ts";
import { fakeTerminals } from "../fake-terminals.ts";
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

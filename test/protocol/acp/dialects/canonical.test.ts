import { describe, expect, test } from "vitest";

import { canonicalDialect, METHOD_ALIASES } from "../../../../src/protocol/acp/index.ts";
import { notification, request, result } from "../../../support/messages.ts";
import { update } from "./messages.ts";

describe("the canonical dialect", () => {
  test("returns canonical messages as the same objects", () => {
    const dialect = canonicalDialect();
    for (const message of [
      update("s", { sessionUpdate: "plan", entries: [] }),
      request(1, "session/new", { cwd: "/", mcpServers: [{ name: "m", env: [] }] }),
      request(2, "fs/read_text_file", { path: "/a" }),
      request(3, "_vendor/method", { env: { A: "1" } }),
      notification("session/cancel", { sessionId: "s" }),
      result(4, { content: "x" }),
      {},
    ]) {
      expect(dialect.read(message)).toBe(message);
      expect(dialect.write(message)).toBe(message);
    }
  });

  test.each([...METHOD_ALIASES])("reads %s as %s and never writes it", (alias, method) => {
    const dialect = canonicalDialect();
    expect(dialect.read(request(1, alias, { path: "/a" }))).toEqual(
      request(1, method, { path: "/a" }),
    );
    expect(dialect.write(request(1, method, {}))).toEqual(request(1, method, {}));
  });

  test("answers fs/readTextFile with the content under both names, once", () => {
    const dialect = canonicalDialect();
    dialect.read(request(7, "fs/readTextFile", { path: "/a" }));
    expect(dialect.write(result(8, { content: "x" }))).toEqual(result(8, { content: "x" }));
    expect(dialect.write(result(7, { content: "x" }))).toEqual(
      result(7, { content: "x", text: "x" }),
    );
    expect(dialect.write(result(7, { content: "x" }))).toEqual(result(7, { content: "x" }));
  });

  test("leaves errors for fs/readTextFile and responses to other aliases unchanged", () => {
    const dialect = canonicalDialect();
    dialect.read(request(1, "fs/readTextFile", {}));
    const error = { jsonrpc: "2.0", id: 1, error: { code: -32002, message: "no" } };
    expect(dialect.write(error)).toEqual(error);
    dialect.read(request(2, "read_text_file", {}));
    expect(dialect.write(result(2, { content: "x" }))).toEqual(result(2, { content: "x" }));
  });

  test.each(["session/new", "session/load", "session/resume", "session/fork"])(
    "turns maps into lists for env and headers in %s",
    (method) => {
      const mcpServers = [
        { name: "a", command: "c", args: [], env: { A: "1", __proto__x: "2" } },
        { type: "http", name: "h", url: "u", headers: { X: "y" } },
        { name: "l", env: [{ name: "K", value: "v" }] },
        "odd",
      ];
      expect(canonicalDialect().read(request(1, method, { cwd: "/", mcpServers }))).toEqual(
        request(1, method, {
          cwd: "/",
          mcpServers: [
            {
              name: "a",
              command: "c",
              args: [],
              env: [
                { name: "A", value: "1" },
                { name: "__proto__x", value: "2" },
              ],
            },
            { type: "http", name: "h", url: "u", headers: [{ name: "X", value: "y" }] },
            { name: "l", env: [{ name: "K", value: "v" }] },
            "odd",
          ],
        }),
      );
    },
  );

  test("turns a map into a list for the env of a terminal, including by alias", () => {
    expect(
      canonicalDialect().read(request(1, "create_terminal", { command: "c", env: { A: "1" } })),
    ).toEqual(request(1, "terminal/create", { command: "c", env: [{ name: "A", value: "1" }] }));
  });

  test("leaves maps with non-string values for validation to report", () => {
    const params = { command: "c", env: { A: 1 } };
    expect(canonicalDialect().read(request(1, "terminal/create", params))).toEqual(
      request(1, "terminal/create", params),
    );
  });
});

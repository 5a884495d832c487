import { expect, it } from "vitest";
import { parseJsonObject } from "../../../../src/base/index.ts";
import { routeOf, routeOfFrame } from "../../../../src/transport/remote/http/routes.ts";

it.each([
  ['{"jsonrpc":"2.0","id":1,"method":"initialize"}', { kind: "request", id: 1 }],
  [
    '{"jsonrpc":"2.0","id":"1","method":"x","params":{"sessionId":"s"}}',
    { id: "1", sessionId: "s" },
  ],
  ['{"jsonrpc":"2.0","id":null,"method":"x"}', { kind: "request", id: null }],
  [
    '{"jsonrpc":"2.0","method":"x","params":{"sessionId":7}}',
    { kind: "notification", sessionId: undefined },
  ],
  ['{"jsonrpc":"2.0","method":"x","params":{"sessionId":""}}', { sessionId: undefined }],
  [
    '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}',
    { kind: "response", createdSessionId: "s" },
  ],
  ['{"jsonrpc":"2.0","id":1,"error":{}}', { kind: "response", isError: true }],
])("%s", (line, expected) => {
  expect(routeOf(line)).toMatchObject(expected);
});

it.each(["", "{", "[]", "7"])("%j is not a message", (line) => {
  expect(routeOf(line)).toBeUndefined();
});

it.each(["s", "a b", "ü", 'with "quotes"', "back\\slash"])(
  "reads the beginning of an update of session %j as if it was parsed",
  (sessionId) => {
    const line = JSON.stringify({
      jsonrpc: "2.0",
      method: "session/update",
      params: { sessionId, update: {} },
    });
    expect(routeOf(line)).toEqual(routeOfFrame(parseJsonObject(line) ?? {}));
  },
);

import { expect, test } from "vitest";
import { readRelayedMessage } from "../../../../src/host/hub/json/relayed-message.ts";

const WRITE =
  '"id":7,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/x","content":"y"}';
const TEXT =
  '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"}}}}';

test.each([
  [TEXT, "notification"],
  [TEXT.replace('"hi"', '"\\u00e9 \\" {"'), "notification"],
  [TEXT.replace("agent_message_chunk", "plan"), "notification"],
  ['{"jsonrpc":"2.0","id":12,"result":{}}', "response"],
  ['{"jsonrpc":"2.0","id":"12","error":{"code":1,"message":"m"},"result":null}', "response"],
  [`{${WRITE}}`, "request"],
  [`{"PARAMS2":1,${WRITE}}`, "request"],
  ["not json", "invalid"],
  [`${TEXT} x`, "invalid"],
  [TEXT.replace('"hi"', '"\\x"'), "invalid"],
  [TEXT.replace('"hi"', '"\u0001"'), "invalid"],
  [TEXT.replace('"s"', '"\t"'), "invalid"],
])("reads %s as %s", (line, kind) => {
  expect(readRelayedMessage(line).kind).toBe(kind);
});

test.each([
  ["a second method, id and params after an update", `${TEXT.slice(0, -1)},${WRITE}}`],
  ["a second method, id and params before an update", `{${WRITE},${TEXT.slice(1)}`],
  ["a key with an escape", `${TEXT.slice(0, -1)},"\\u006dethod":"terminal/create","id":7}`],
  ["a key in another case", `{"Method":"terminal/create",${WRITE}}`],
  ["a letter that only folds to a key", `{"re\u017fult":{},${WRITE}}`],
  ["two paths", `{${WRITE.replace('"path"', '"path":"/allowed","path"')}}`],
  ["two paths in different cases", `{${WRITE.replace('"path"', '"Path":"/allowed","path"')}}`],
  ["a tool call with two kinds", `{${WRITE.replace('"path"', '"a":{"kind":1,"kind":2},"path"')}}`],
  ["a request that is a response too", `{${WRITE},"result":{}}`],
])("refuses %s", (_, line) => {
  const { kind } = readRelayedMessage(line);
  expect(kind).toBe("invalid");
});

test("names the method of an ambiguous request, for the audit log", () => {
  const line = `${TEXT.slice(0, -1)},${WRITE}}`;
  const ambiguous = { method: "fs/write_text_file" };
  expect(readRelayedMessage(line)).toMatchObject({ kind: "invalid", ambiguous });
});

test.each([
  '{"jsonrpc":"2.0","id":5,"result":{"content":"a"},"result":{"content":"b"}}',
  '{"jsonrpc":"2.0","id":5,"result":{"outcome":{"optionId":"no","optionId":"yes"}}}',
  '{"jsonrpc":"2.0","id":5,"result":{},"error":{"code":1,"message":"m"}}',
])("turns the response %s into an error", (line) => {
  const message = readRelayedMessage(line);
  if (message.kind !== "response") throw new Error(message.kind);
  expect(message.line.slice(message.id.start, message.id.end)).toBe("5");
  expect(JSON.parse(message.line)).toEqual({
    jsonrpc: "2.0",
    id: 5,
    error: { code: -32603, message: expect.stringContaining("duplicate") },
  });
});

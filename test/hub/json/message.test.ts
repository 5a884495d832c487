import { expect, test } from "vitest";
import { readAgentLine, readLine } from "../../../src/hub/json/message.ts";

const UPDATE =
  '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}';

test.each([
  UPDATE,
  '{"jsonrpc":"2.0","id":12,"result":{}}',
  '{"jsonrpc":"2.0","id":"12","error":{"code":1,"message":"m"}}',
  '{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"plan"},"sessionId":"s"}}',
  '{"id":3,"jsonrpc":"2.0","method":"fs/read_text_file","params":{"sessionId":"s"}}',
  '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"x"}},"id":4}',
  "not json",
])("reads %s the same way with and without parsing", (line) => {
  expect(readAgentLine(line)).toEqual(readLine(line));
});

test("does not take a request for an update because it starts like one", () => {
  const request = UPDATE.replace(/}$/, ',"id":9}');
  expect(readAgentLine(request).kind).toBe("request");
});

import { expect, it } from "vitest";
import { parseDriver } from "../../../../src/conformance/check/index.ts";

it("reads arguments, variables, signals and keys", () => {
  const driver = {
    cancel: { signal: "SIGINT" },
    load: { args: ["--resume", "{session}"] },
    allow: { env: { POLICY: "allow" } },
    again: { keys: "again\n" },
  };
  expect(parseDriver(driver)).toMatchObject(driver);
});

it.each([
  ["text", '"cancel"', "must contain a JSON object"],
  ["an unknown entry", '{"jump":{"args":[]}}', 'unknown entry "jump"; known: cancel, load'],
  ["an entry that is not an object", '{"cancel":true}', '"cancel" of the driver must be an object'],
  ["an unknown field", '{"cancel":{"key":"q"}}', 'unknown field "key"'],
  ["an empty entry", '{"cancel":{}}', "needs one of"],
  ["a signal that does not exist", '{"cancel":{"signal":"SIGSTOPIT"}}', "SIGINT"],
  ["arguments that are not strings", '{"load":{"args":[1]}}', "list of strings"],
  ["variables that are not strings", '{"load":{"env":{"A":1}}}', "object of strings"],
  ["keys that are not text", '{"load":{"keys":1}}', 'string as "keys"'],
])("refuses %s", (_what, json, message) => {
  expect(() => parseDriver(JSON.parse(json))).toThrow(message);
});

import { expect, test } from "vitest";
import { withSeq } from "../../../../src/host/hub/json/lines.ts";

test.each([
  ['{"params":{"a":1}}', '{"params":{"_meta":{"dragoman/seq":7},"a":1}}'],
  ['{"params":{}}', '{"params":{"_meta":{"dragoman/seq":7}}}'],
  ['{"params":{"_meta":{"x":1.0}}}', '{"params":{"_meta":{"dragoman/seq":7,"x":1.0}}}'],
  ['{"params":{"_meta":{ }}}', '{"params":{"_meta":{"dragoman/seq":7 }}}'],
  ['{"params":{"_meta":null,"a":1}}', '{"params":{"_meta":{"dragoman/seq":7},"a":1}}'],
  [
    '{"params":{"update":{"_meta":{"x":1}}}}',
    '{"params":{"_meta":{"dragoman/seq":7},"update":{"_meta":{"x":1}}}}',
  ],
  ['{"method":"x"}', '{"method":"x"}'],
])("adds the position to %s", (line, expected) => {
  expect(withSeq(line, 7)).toBe(expected);
});

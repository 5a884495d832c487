import fc from "fast-check";
import { expect, test } from "vitest";
import { withSeq } from "../../../../src/host/hub/json/rpc-lines.ts";
import { memberSpan, spliceText } from "../../../../src/host/hub/json/json-text.ts";

test.each([
  ['{"id":1}', "1"],
  ['{ "id" : "a\\"b" , "x":2}', '"a\\"b"'],
  ['{"x":{"id":1},"id":[1,{"id":2}]}', '[1,{"id":2}]'],
  ['{"id":1,"id":2}', "2"],
  ['{"\\u0069d":7}', "7"],
  ['{"x":"\\\\","id":null}', "null"],
  ['{"x":1}', undefined],
  ["{}", undefined],
])("finds the id in %s", (text, value) => {
  const span = memberSpan(text, "id");
  expect(span && text.slice(span.start, span.end)).toBe(value);
});

test("finds every member of every object, as JSON.parse does", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom(undefined, 1, "\t"),
      (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        for (const [key, value] of Object.entries(object)) {
          const span = memberSpan(text, key);
          expect(span && JSON.parse(text.slice(span.start, span.end))).toEqual(
            JSON.parse(JSON.stringify(value)),
          );
        }
      },
    ),
  );
});

test("replaces a part and nothing else", () => {
  const text = '{"a":1.0,"id":5,"b":[ ]}';
  expect(spliceText(text, memberSpan(text, "id") ?? { start: 0, end: 0 }, '"x"')).toBe(
    '{"a":1.0,"id":"x","b":[ ]}',
  );
});

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
  [
    '{"params":{"_meta":{"dragoman/seq":1,"x":1}}}',
    '{"params":{"_meta":{"dragoman/seq":7,"x":1}}}',
  ],
  ['{"method":"x"}', '{"method":"x"}'],
])("sets the position in %s", (line, expected) => {
  expect(withSeq(line, 7)).toBe(expected);
});

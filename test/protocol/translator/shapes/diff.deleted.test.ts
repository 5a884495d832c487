import { expect, it } from "vitest";
import { diffToV1, diffToV2 } from "../../../../src/protocol/translator/shapes/diff.ts";

const deleted = {
  type: "diff",
  path: "/w/a",
  oldText: "one\n",
  newText: "",
  _meta: { "dragoman/operation": "delete" },
};

it("a file that a v1 agent marks as deleted is a deletion in v2", () => {
  expect(diffToV2(deleted)).toMatchObject({
    changes: [{ operation: "delete", path: "/w/a" }],
    patch: {
      text: "diff --git /w/a /w/a\ndeleted file mode 100644\n--- /w/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n",
    },
  });
  expect(diffToV2(deleted)["_meta"]).not.toHaveProperty("dragoman/operation");
});

it("a deletion of v2 is an empty file in v1", () => {
  const { items } = diffToV1(diffToV2(deleted), false);
  expect(items).toEqual([{ type: "diff", path: "/w/a", oldText: "one\n", newText: "" }]);
});

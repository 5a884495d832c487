import { expect, it } from "vitest";
import { agentDescription } from "../../../src/fleet/gateway/initialize.ts";
import { NamedRootLimits } from "../../../src/hub/index.ts";
import { ADA } from "../../hub/serve/rig.ts";

it.each([
  [["repo", "docs"], { "dragoman/root": "/repo" }],
  [[], {}],
  [undefined, {}],
])("a client learns the first root of its token, as far as it is known (%s)", (roots, meta) => {
  const root = new NamedRootLimits(() => []).firstRoot({ ...ADA.grant, roots });
  expect(agentDescription({}, { isExtended: false, root })["_meta"]).toEqual(meta);
});

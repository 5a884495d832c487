import { afterAll, beforeAll } from "vitest";
import { buildBin, type BuiltBin } from "../../apps/cli/support/bin.ts";

/** Builds both commands before the tests of a file, and removes them afterwards. Returns their files. */
export function builtBins(): { readonly dragoman: string; readonly droidAcp: string } {
  let bins: readonly BuiltBin[] = [];
  beforeAll(async () => {
    bins = [await buildBin(), await buildBin("droid-acp")];
  });
  afterAll(async () => {
    for (const bin of bins) await bin.remove();
  });
  return {
    get dragoman() {
      return bins[0]?.file ?? "";
    },
    get droidAcp() {
      return bins[1]?.file ?? "";
    },
  };
}

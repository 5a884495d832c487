import { describe, it } from "vitest";
import { transcriptNames } from "../../droid/transcript.ts";
import { droidUnavailable, testedDroids } from "../../support/droid/install.ts";
import { soak } from "../../support/soak.ts";
import { playAgain } from "./captures.ts";
import { SLOW } from "./scenario.ts";

const cases = testedDroids().flatMap((version) =>
  transcriptNames
    .filter((name) => name.endsWith(`-${version}`) && SLOW.test(name))
    .map((name) => [name, version] as const),
);

describe.skipIf(droidUnavailable() !== undefined || !soak)(
  "the real Droid repeats the slow captures",
  () => {
    it.each(cases)("%s", { timeout: 120_000 }, (name, version) => playAgain(version, [name]));
  },
);

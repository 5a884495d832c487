import { afterAll, beforeAll, expect, it } from "vitest";
import { buildBin, type BuiltBin } from "../../apps/cli/support/bin.ts";
import { type Bundle, bundleOf } from "../../support/agents/bundle.ts";
import { randomFrom, seed, times } from "../../support/soak.ts";
import { quick } from "../../support/suite.ts";
import { storm } from "./storm.ts";

let bin: BuiltBin;
let toolkit: Bundle;
beforeAll(async () => {
  [bin, toolkit] = await Promise.all([buildBin(), bundleOf("src/entries/agent.ts")]);
}, 120_000);
afterAll(() => Promise.all([bin.remove(), toolkit.remove()]));

const kills = quick ? 1 : times(4, 200);

it(
  `a proxy survives ${kills} kills of clients, proxies and agents (DRAGOMAN_SEED=${seed})`,
  { timeout: 60_000 + kills * 20_000 },
  async () => {
    await expect(
      storm({
        kills,
        random: randomFrom(seed),
        toolkit: toolkit.url,
        hub: (agent) => [process.execPath, bin.file, "proxy", "--", ...agent],
      }),
    ).resolves.toBeUndefined();
  },
);

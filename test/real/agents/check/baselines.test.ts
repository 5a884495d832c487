import { expect, it } from "vitest";
import { agentsToCheck, baselineOf } from "./subjects.ts";

const rows = agentsToCheck.map((agent) => [agent.name, agent] as const);

it.each(rows)("the baseline of %s is about its installed version", async (_, agent) => {
  const { entries } = await baselineOf(agent);
  expect(entries.filter(({ version }) => version !== agent.version)).toEqual([]);
});

it.each(rows)(
  "the baseline of %s lists everything that it breaks in some runs",
  async (_, agent) => {
    const ids = (await baselineOf(agent)).entries.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([...(agent.races ?? [])]));
  },
);

// @ts-check
// `npm run test:soak`: the *.soak.test.ts files at their full counts, with a new seed each time.
// DRAGOMAN_SEED repeats a run.
import { randomInt } from "node:crypto";
import { step, tool } from "./run.mjs";

const seed = process.env.DRAGOMAN_SEED ?? String(randomInt(1, 2 ** 31));
const env = { DRAGOMAN_SOAK: "1", DRAGOMAN_SEED: seed };
step(`soak, DRAGOMAN_SEED=${seed}`, [tool.vitest, "run", ...process.argv.slice(2)], { env });

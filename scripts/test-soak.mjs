// @ts-check
// `npm run test:soak`: runs the *.soak.test.ts files with their full counts and a new seed each time.
// Set DRAGOMAN_SEED to repeat a run.
import { randomInt } from "node:crypto";
import { step, tool } from "./run.mjs";

const seed = process.env.DRAGOMAN_SEED ?? String(randomInt(1, 2 ** 31));
const env = { DRAGOMAN_SOAK: "1", DRAGOMAN_SEED: seed };
step(`soak, DRAGOMAN_SEED=${seed}`, [tool.vitest, "run", ...process.argv.slice(2)], { env });

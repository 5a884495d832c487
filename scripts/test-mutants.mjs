// @ts-check
// `npm run test:mutants`: every requirement of `dragoman check` on an agent or a client that breaks it.
import { step, tool } from "./run.mjs";

const config = ["--root", ".", "--config", "test/check/vitest.config.ts"];
step("mutants", [tool.vitest, "run", ...config, ...process.argv.slice(2)]);

// @ts-check
// `npm run test:package`: the packed package as its users get it, under several bundlers and versions of
// TypeScript.
import { step, tool } from "./run.mjs";

const config = ["--root", ".", "--config", "test/package/vitest.config.ts"];
step("package", [tool.vitest, "run", ...config, ...process.argv.slice(2)]);

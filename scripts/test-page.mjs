// @ts-check
// `npm run test:page`: runs the package in a real browser. It uses Chromium from the system;
// the variable CHROMIUM names another executable.
import { step, tool } from "./run.mjs";

const config = ["--root", ".", "--config", "test/page/vitest.config.ts"];
step("page", [tool.vitest, "run", ...config, ...process.argv.slice(2)]);

// @ts-check
// `npm run test:clients`: tests the demo agent and droid-acp with third-party clients, which are installed
// on demand. Writes docs/interop.md if all of them ran and passed.
import { step, tool } from "./run.mjs";

const config = ["--root", ".", "--config", "test/real/clients/vitest.config.ts"];
step("clients", [tool.vitest, "run", ...config, ...process.argv.slice(2)]);
step("formatting docs/interop.md", [tool.oxfmt, "docs/interop.md"]);

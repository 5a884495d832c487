// @ts-check
// `npm run test:agents`: real agents of other makers, installed on demand and driven through the
// library and the command line. Writes docs/interop.md when all of them have run.
import { step, tool } from "./run.mjs";

const config = ["--root", ".", "--config", "test/real/agents/vitest.config.ts"];
step("agents", [tool.vitest, "run", ...config, ...process.argv.slice(2)]);
step("format of docs/interop.md", [tool.oxfmt, "docs/interop.md"]);

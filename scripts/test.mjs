// @ts-check
// `npm test`: everything a change has to pass, the cheapest first. Arguments go to the last step,
// so `npm test -- test/wire` runs the checks and one folder's tests.
import { step, tool } from "./run.mjs";

step("types", [tool.tsc, "--noEmit"]);
step("lint", [tool.oxlint, "--deny-warnings", "--report-unused-disable-directives"]);
step("format", [tool.oxfmt, "--check"]);
step("unused code", [tool.knip, "--no-progress"]);
step("tests", [tool.vitest, "run", ...process.argv.slice(2)]);

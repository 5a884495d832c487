// @ts-check
// `npm run test:droid`: tests the Droid client and droid-acp with every known version of Droid.
import { step, tool } from "./run.mjs";

const paths =
  process.argv.length > 2
    ? process.argv.slice(2)
    : ["test/droid", "test/real/droid/", "test/real/droid-acp/"];
step("tests with every Droid", [tool.vitest, "run", ...paths], { env: { DRAGOMAN_DROID: "all" } });

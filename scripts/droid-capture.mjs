// @ts-check
// `node scripts/droid-capture.mjs PATH-TO-DROID`: examines a new version of Droid. Runs the scenarios that
// were captured with the newest known version against any binary, with a scripted model on
// loopback and a home in the temp folder, writes the transcripts, and describes the differences.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fromSource } from "./from-source.mjs";
import { parseOrUsage, printFailure, root } from "./run.mjs";

const usage = `node scripts/droid-capture.mjs [options] PATH-TO-DROID

  --out FOLDER       where to write the transcripts (default: a new folder in the temp folder)
  --newest VERSION   the known version to compare with (default: 0.225.2)`;
const { values, positionals } = parseOrUsage(usage, {
  out: { type: "string" },
  newest: { type: "string", default: "0.225.2" },
});
const [executable = ""] = positionals;
const { capture } = await fromSource("test/real/droid/capture.ts");
try {
  await capture({
    executable: resolve(executable),
    transcripts: join(root, "test", "transcripts", "droid"),
    out: resolve(values.out ?? mkdtempSync(join(tmpdir(), "droid-capture-"))),
    newest: values.newest,
    print: console.log,
  });
} catch (error) {
  printFailure(error);
}

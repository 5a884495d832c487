// @ts-check
// `node scripts/droid-trace.mjs "prompt"`: starts Droid, sends the prompt and prints every raw frame with
// its time and direction. Keys and tokens are redacted.
import { fromSource } from "./from-source.mjs";
import { parseOrUsage, printFailure } from "./run.mjs";

const usage = `node scripts/droid-trace.mjs [options] "prompt"

  --executable PATH   the Droid to start (default: searched for as usual)
  --model ID          the model, such as custom:my-model
  --cwd FOLDER        the folder Droid works in
  --autonomy LEVEL    off, low, medium or high
  --mode MODE         auto or spec
  --answer OPTION     the answer to permission requests (default: cancel)
  --cut N             print at most N characters of a frame`;
const { values, positionals } = parseOrUsage(usage, {
  executable: { type: "string" },
  model: { type: "string" },
  cwd: { type: "string" },
  autonomy: { type: "string" },
  mode: { type: "string" },
  answer: { type: "string", default: "cancel" },
  cut: { type: "string" },
});
const [prompt] = positionals;

const { DroidClient } = await fromSource("src/entries/droid.ts");
const { redactLine } = await fromSource("src/entries/wire.ts");
const started = performance.now();

/** @param {{ direction: "in" | "out", line: string }} event */
function print({ direction, line }) {
  const time = (performance.now() - started).toFixed(0).padStart(7);
  const clean = redactLine(line);
  const limit = values.cut === undefined ? clean.length : Number(values.cut);
  const shown = clean.length > limit ? `${clean.slice(0, limit)}… (${clean.length})` : clean;
  console.log(`${time} ms ${direction === "in" ? "<-" : "->"} ${shown}`);
}

try {
  const droid = await DroidClient.start({
    executable: values.executable,
    cwd: values.cwd,
    model: values.model,
    autonomy: values.autonomy,
    interactionMode: values.mode,
    tap: print,
    onPermission: () => values.answer,
  });
  try {
    const { cli, protocol } = droid.version;
    console.log(`Droid ${cli ?? "(version unknown)"}, protocol ${protocol ?? "unknown"}`);
    for (const { setting, requested, actual } of droid.ignored)
      console.log(`Droid ignored ${setting} ${requested}; ${actual} is in effect`);
    const { stopReason, failure } = await droid.prompt(prompt).result;
    console.log(`the turn ended: ${stopReason}${failure ? ` (${failure.message})` : ""}`);
  } finally {
    await droid.close();
  }
} catch (error) {
  printFailure(error);
}

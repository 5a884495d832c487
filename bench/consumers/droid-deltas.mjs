// Our Droid client, with a loop over the events of the turn: one for each delta.
import { DroidClient } from "../lib.mjs";
import { producer, report } from "../measure.mjs";

const [expected] = process.argv.slice(2);
const droid = await DroidClient.start({ executable: producer("droid") });
const turn = droid.prompt(expected);
let seen = 0;
for await (const event of turn) if (event.type === "text") seen++;
const { stopReason } = await turn.result;
report({ seen, stopReason });

// Our session list.
import { DroidClient } from "../lib.mjs";
import { report } from "../measure.mjs";

const [home] = process.argv.slice(2);
const sessions = await DroidClient.list({ home });
report({ seen: sessions.length, newest: sessions[0]?.sessionId });

// A correct agent without a model, as a program. Each argument is the name of a defect or a variant.
import { spawn } from "node:child_process";
import { serve } from "./basic-agent/serve.mjs";
import { handlersOfV2 } from "./basic-agent/v2.mjs";

const switches = new Set(process.argv.slice(2));
if (switches.has("ignores-eof")) setInterval(() => {}, 1000);
if (switches.has("leaves-child")) {
  // It leads its own group and holds no pipe, so nothing ends it with the agent.
  spawn("sleep", ["30"], { stdio: "ignore", detached: true }).unref();
}
const agent = serve({
  switches,
  env: process.env,
  handlers: switches.has("version-2") ? handlersOfV2 : undefined,
  write: (bytes) => process.stdout.write(bytes),
  exit: (code) => process.exit(code),
});
process.stdout.on("error", () => process.exit(0));
let keepsRunning = switches.has("ignores-eof");
process.stdin.on("data", (chunk) => {
  if (switches.has("session-ignores-eof") && chunk.includes("session/new")) {
    keepsRunning = true;
    setInterval(() => {}, 1000);
  }
  agent.read(chunk);
});
process.stdin.on("end", () => {
  if (!keepsRunning) process.exit(0);
});
if (switches.has("leaves-child")) process.on("SIGTERM", () => process.exit(0));

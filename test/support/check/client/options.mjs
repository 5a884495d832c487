import process from "node:process";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    agent: { type: "string" },
    defect: { type: "string", default: "none" },
    protocol: { type: "string", default: "1" },
    load: { type: "string" },
    option: { type: "string" },
    mode: { type: "string" },
    image: { type: "string" },
    choose: { type: "string" },
    mcp: { type: "string" },
    timeout: { type: "string" },
    /** How many prompts it sends. */
    prompts: { type: "string", default: "1" },
    allow: { type: "boolean", default: false },
    ask: { type: "boolean", default: false },
    again: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    form: { type: "boolean", default: false },
    "no-fs": { type: "boolean", default: false },
    "no-terminal": { type: "boolean", default: false },
  },
});

export const options = {
  ...values,
  noFs: values["no-fs"],
  noTerminal: values["no-terminal"],
  prompt: positionals.join(" ") || "hello",
};

/** Whether the client has a defect. */
export function has(defect) {
  return values.defect === defect;
}

export function say(text) {
  process.stdout.write(text);
}

export function tell(text) {
  process.stderr.write(`${text}\n`);
}

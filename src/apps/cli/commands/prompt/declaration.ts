import { TURNS } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const prompt: CommandSpec = {
  name: "prompt",
  usage: "[options] [--] [prompt]",
  help: "run one turn",
  takes: [
    ...TURNS,
    "file",
    "image",
    "no-stdin",
    "schema",
    "schema-retries",
    "strict-permissions",
    "list-caps",
    "list-modes",
    "list-commands",
    "list-models",
    "list-options",
    "fail-on",
  ],
};

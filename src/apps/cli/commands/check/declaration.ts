import type { OptionTable } from "../../shell/options.ts";
import type { CommandSpec, ValuesWith } from "../../shell/parse.ts";

/** What `check` checks, and `report`, which shows reports of earlier runs. */
export const CHECK_WORDS = ["agent", "client", "report"] as const;

export const CHECK_MODELS = ["scripted", "none"] as const;

const CHECK_LEVELS = ["must", "should", "warn"] as const;

export const CHECK_OPTIONS = {
  Check: {
    "--level LEVEL": "lowest severity that fails the run: must (default), should or warn",
    "--only WORDS...": "check only these ids, patterns such as ACP-INIT-* and areas, with commas",
    "--skip WORDS...": "leave these out",
    "--list": "print the requirements, and check nothing",
    "--json FILE": "write the report as JSON",
    "--junit FILE": "write the report in JUnit's format, for CI",
    "--html FILE": "write the report as one HTML file, which works offline",
    "--markdown FILE": "write the report as Markdown that fits the summary of a CI step",
    "--baseline FILE":
      "JSON file with the violations to accept; an entry that passes gives exit code 1",
    "--update-baseline":
      "add the violations of this run to that file, and remove entries that pass",
    "--jobs N": "cases that may run at once (default: 2)",
    "--prompts FILE":
      "JSON file with prompts that make an agent without a model write, read, run, ask or wait",
    "--model-env NAME=VALUE...":
      "variable that leads an agent to the scripted model, such as OPENAI_BASE_URL={url}/v1",
    "--driver FILE": "JSON file that says how to make a client cancel, load, allow or deny",
    "--recordings DIR": "start nothing, and judge the recordings in this folder",
  },
} as const satisfies OptionTable;

export type CheckValues = ValuesWith<typeof CHECK_OPTIONS>;

export const check: CommandSpec = {
  name: "check",
  usage: "check [client] (-a NAME | -- CMD)",
  help: "check whether an agent or a client keeps the rules of the protocol",
  details: [
    "Checks an agent, or a client, requirement by requirement, and shows the frames that decide:",
    "  dragoman check -a gemini",
    "  dragoman check --prompts prompts.json -- my-agent --acp",
    "  dragoman check client --driver driver.json -- my-client --agent {agent} --cwd {cwd}",
    "In the command of a client, {agent} becomes the command line of the checking agent, and",
    "{cwd} a workspace. Reports of earlier runs, with a matrix of their subjects:",
    "  dragoman check report a.json b.json --html matrix.html",
    "docs/check.md explains baselines, drivers and the requirements.",
  ],
  takes: [
    "agent",
    "agent-url",
    "token-file",
    "settings",
    "trust-project",
    "protocol",
    "auth",
    "model",
    "record-dir",
    "timeout",
  ],
  own: CHECK_OPTIONS,
  ownWords: { level: CHECK_LEVELS },
  next: CHECK_WORDS,
};

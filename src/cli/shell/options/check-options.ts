const CHECK = ["check"] as const;

/** What `check` checks, and `report`, which shows reports of earlier runs. */
export const CHECK_WORDS = ["agent", "client", "report"] as const;

/** The models that `check` gives to an agent. */
export const CHECK_MODELS = ["scripted", "none"] as const;

/** The levels of `--level`. */
export const CHECK_LEVELS = ["must", "should", "warn"] as const;

/** The options that only `check` takes. */
export const CHECK_OPTIONS = [
  {
    name: "level",
    value: "LEVEL",
    words: CHECK_LEVELS,
    group: "Check",
    on: CHECK,
    help: "least level of a violation that gives exit code 1: must (default), should or warn",
  },
  {
    name: "only",
    value: "WORDS",
    multiple: true,
    group: "Check",
    on: CHECK,
    help: "check only these ids, patterns such as ACP-INIT-* and areas, with commas",
  },
  {
    name: "skip",
    value: "WORDS",
    multiple: true,
    group: "Check",
    on: CHECK,
    help: "leave these out",
  },
  {
    name: "list",
    group: "Check",
    on: CHECK,
    help: "print the requirements, and check nothing",
  },
  {
    name: "json",
    value: "FILE",
    group: "Check",
    on: CHECK,
    help: "write the report as JSON",
  },
  {
    name: "junit",
    value: "FILE",
    group: "Check",
    on: CHECK,
    help: "write the report in JUnit's format, for CI",
  },
  {
    name: "html",
    value: "FILE",
    group: "Check",
    on: CHECK,
    help: "write the report as one HTML file, which works offline",
  },
  {
    name: "markdown",
    value: "FILE",
    group: "Check",
    on: CHECK,
    help: "write the report as Markdown that fits the summary of a CI step",
  },
  {
    name: "baseline",
    value: "FILE",
    group: "Check",
    on: CHECK,
    help: "JSON file with the violations to accept; an entry that passes gives exit code 1",
  },
  {
    name: "update-baseline",
    group: "Check",
    on: CHECK,
    help: "add the violations of this run to that file, and remove entries that pass",
  },
  {
    name: "jobs",
    value: "N",
    group: "Check",
    on: CHECK,
    help: "cases that may run at once (default: 2)",
  },
  {
    name: "prompts",
    value: "FILE",
    group: "Check",
    on: CHECK,
    help: "JSON file with prompts that make an agent without a model write, read, run, ask or wait",
  },
  {
    name: "model-env",
    value: "NAME=VALUE",
    multiple: true,
    group: "Check",
    on: CHECK,
    help: "variable that leads an agent to the scripted model, such as OPENAI_BASE_URL={url}/v1",
  },
  {
    name: "driver",
    value: "FILE",
    group: "Check",
    on: CHECK,
    help: "JSON file that says how to make a client cancel, load, allow or deny",
  },
  {
    name: "recordings",
    value: "DIR",
    group: "Check",
    on: CHECK,
    help: "start nothing, and judge the recordings in this folder",
  },
] as const;

import { BUDGET, NATS, type OptionTable } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const JOB_ACTIONS = ["submit", "list", "show", "follow", "cancel"] as const;

export const JOBS_OPTIONS = {
  Fleet: {
    "--tenant NAME":
      "whose jobs, with --nats (default: default); with --agent-url, the token decides",
    "--id ID": "id of the job to submit; the same id is run once (default: a random one)",
    "--git URL":
      "repository for the job, over https or ssh, in place of -C with a root of the workers",
    "--revision REV": "commit, branch or tag that the job starts from (default: HEAD)",
  },
} as const satisfies OptionTable;

export const jobs: CommandSpec = {
  name: "jobs",
  usage: "jobs submit|list|show|follow|cancel",
  help: "run prompts on a fleet, each in a fresh worktree",
  details: [
    "  submit PROMPT   queue a job (-a, -C ROOT or --git URL), and print its id",
    "  list            list the jobs",
    "  show ID         print the result: the answer, and with -o result everything",
    "  follow ID       print the answer as it grows, until the job ends",
    "  cancel ID       cancel a job that waits or runs",
    "",
    "Jobs are reached through NATS (--nats), or a gateway (--agent-url and --token-file).",
    "",
  ],
  takes: [
    "agent",
    "agent-url",
    "token-file",
    "settings",
    "cwd",
    "file",
    "schema",
    "schema-retries",
    "outputmode",
    "permissions",
    "timeout",
    ...BUDGET,
    ...NATS,
    "pool",
  ],
  own: JOBS_OPTIONS,
  next: JOB_ACTIONS,
};

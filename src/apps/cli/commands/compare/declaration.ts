import { BUDGET, PERMISSIONS, type OptionTable } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const COMPARE_OPTIONS = {
  Compare: {
    "--keep NAME": "apply the changes of this agent from the last comparison",
  },
} as const satisfies OptionTable;

export const compare: CommandSpec = {
  name: "compare",
  usage: "compare -a A,B[,C] PROMPT",
  help: "run a prompt with several agents side by side",
  details: [
    "Each agent works on a copy of the last commit, in a git worktree of its own, so your files",
    "stay as they are. Then apply the changes of one agent:",
    "  dragoman compare --keep NAME",
  ],
  takes: [
    "agent",
    "settings",
    "trust-project",
    "protocol",
    "auth",
    "cwd",
    "file",
    "image",
    "no-stdin",
    "outputmode",
    "verbose",
    ...PERMISSIONS,
    "no-fs",
    "no-terminal",
    "timeout",
    "idle-timeout",
    "start-timeout",
    ...BUDGET,
  ],
  own: COMPARE_OPTIONS,
};

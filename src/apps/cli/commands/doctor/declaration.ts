import { CONNECTION } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const doctor: CommandSpec = {
  name: "doctor",
  usage: "doctor [AGENT]",
  help: "check step by step whether an agent works",
  takes: [...CONNECTION, "model", "prompt", "timeout"],
  next: "agents",
};

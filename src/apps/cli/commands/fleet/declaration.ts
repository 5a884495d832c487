import { NATS, type OptionTable } from "../../shell/options.ts";
import type { ActionTable, CommandSpec } from "../../shell/parse.ts";

export const FLEET_ACTIONS = {
  status: { help: "workers, sessions, queues and lag (-o events: as JSON)" },
  export: {
    usage: "SESSION",
    help: "print a session's log as a recording (--follow: as it grows)",
    needs: "the id of one session",
    options: ["follow"],
  },
  setup: { help: "create the streams and buckets on the servers" },
  config: {
    help: "write a configuration for nats-server, with users for roles and workers (--out, --worker)",
    options: ["out", "worker"],
  },
} as const satisfies ActionTable;

export const FLEET_OPTIONS = {
  Fleet: {
    "--out DIR": "folder for the files of fleet config",
    "--follow": "go on with the log of fleet export as it grows",
    "--worker NAME...": "give the worker of this name a secret of its own, with fleet config",
  },
} as const satisfies OptionTable;

export const fleet: CommandSpec = {
  name: "fleet",
  usage: "fleet status|export|setup|config",
  help: "show a fleet or a session of it, or set up its servers",
  actions: FLEET_ACTIONS,
  takes: ["settings", "outputmode", ...NATS],
  own: FLEET_OPTIONS,
};

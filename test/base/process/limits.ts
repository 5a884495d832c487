import { spawnSync } from "node:child_process";

/** Whether this machine can mark trees by a limit: on Linux, if `prlimit` may set one. */
export const hasLimits =
  process.platform === "linux" &&
  ["/usr/bin/prlimit", "/bin/prlimit"].some(
    (path) => spawnSync(path, ["--locks=1000000:", "--", "true"]).status === 0,
  );

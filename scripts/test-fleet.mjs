// @ts-check
// `npm run test:fleet`: fleets on a cluster of three real NATS servers, whose processes are killed. It needs
// `nats-server`, which Debian has as a package, and fails without it.
import { step, tool } from "./run.mjs";

const config = ["--root", ".", "--config", "test/fleet/vitest.config.ts"];
step("fleet", [tool.vitest, "run", ...config, ...process.argv.slice(2)]);

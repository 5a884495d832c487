import { runCheckingAgent } from "../../../src/check/client/relay.ts";

await runCheckingAgent(process.argv[2] ?? "");

import { runCheckingAgent } from "../../../src/check/client/relay/relay.ts";

await runCheckingAgent(process.argv[2] ?? "");

import { runCheckingAgent } from "../../../src/conformance/check/client/relay/relay.ts";

await runCheckingAgent(process.argv[2] ?? "");

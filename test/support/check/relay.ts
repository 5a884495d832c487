import { runAgentRelay } from "../../../src/conformance/check/client/relay/relay.ts";

await runAgentRelay(process.argv[2] ?? "");

import type {
  ProvidedTerminal,
  TerminalProvider,
  TerminalRequest,
} from "../../../src/client/gate/providers/provider.ts";

/** A provider whose terminals run no process. It records requests and releases. */
export function fakeTerminals() {
  const requests: TerminalRequest[] = [];
  const released: string[] = [];
  const provider: TerminalProvider = {
    create(request) {
      requests.push(request);
      const terminal: ProvidedTerminal = {
        output: () => ({ output: "out", truncated: false, exitStatus: undefined }),
        exited: new Promise(() => {}),
        kill: () => Promise.resolve(),
        release: async () => void released.push(request.terminalId),
      };
      return Promise.resolve(terminal);
    },
  };
  return { provider, requests, released };
}

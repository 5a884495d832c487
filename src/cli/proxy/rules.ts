import type { HubOptions, SessionPolicy } from "../../hub/index.ts";
import type { SelectedAgent } from "../agents/select.ts";
import type { Context } from "../run/context.ts";

/** What the proxy changes and decides about. */
export interface ProxyRules {
  readonly options: Pick<HubOptions, "policy" | "capabilities" | "checkOpen">;
  /** Writes the last decisions. */
  close(): Promise<void>;
}

/** The rules of the flags. Throws a usage error for an invalid rules file. */
export async function proxyRules({ values }: Context, agent: SelectedAgent): Promise<ProxyRules> {
  const cwd = values.text("cwd");
  const isApart = agent.remote !== undefined && !values.flag("remote-files");
  return {
    options: {
      ...(isApart && { capabilities: withoutFiles, policy: () => REFUSES_FILES }),
      // The editor's folder means nothing on a server.
      ...(agent.remote && cwd !== undefined && { checkOpen: ({ params }) => ({ ...params, cwd }) }),
    },
    close: async () => {},
  };
}

/** The capabilities of a client whose files and terminals an agent on a server must not use. */
function withoutFiles(capabilities: object): { readonly [key: string]: unknown } {
  const fs = { readTextFile: false, writeTextFile: false };
  return { ...capabilities, fs, terminal: false };
}

const METHOD_NOT_FOUND = -32601;

const REFUSES_FILES: SessionPolicy = {
  request: ({ method }) =>
    /^(?:fs|terminal)\//.test(method)
      ? { kind: "error", code: METHOD_NOT_FOUND, message: `${method} is not offered to a server` }
      : { kind: "forward" },
  close: async () => {},
};

// Asks an agent on a server, from the page browser.html.
//
//   npx esbuild browser.ts --bundle --format=esm --target=es2022 --outfile=browser.js
import { AcpClient, type PermissionRequest, DragomanError } from "dragoman";

export interface View {
  /** Shows the next part of the answer. */
  readonly show: (text: string) => void;
  /** Asks the person in front of the page. */
  readonly confirm: (request: PermissionRequest) => Promise<boolean>;
}

export interface Server {
  readonly url: string;
  readonly token: string;
  /** A folder of the server, or the name of one of its roots. */
  readonly cwd: string;
}

/** Asks the agent. Resolves with the reason why it stopped, or with the code of the error. */
export async function ask({ url, token, cwd }: Server, prompt: string, view: View) {
  try {
    await using client = await AcpClient.start({
      url,
      token,
      permissions: async (request) => ((await view.confirm(request)) ? "allow" : "deny"),
    });
    const session = await client.newSession({ cwd });
    const turn = session.prompt(prompt);
    for await (const update of turn) view.show(update.text);
    return (await turn.result).stopReason;
  } catch (error) {
    if (error instanceof DragomanError) return error.code;
    throw error;
  }
}

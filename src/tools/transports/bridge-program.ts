import { connect } from "node:net";
import { pipeline } from "node:stream";

/** The environment variables by which the bridge command learns where the server is. */
export const SOCKET_VARIABLE = "DRAGOMAN_TOOLS_SOCKET";
/** The variable with the token. A command line would show it to other users. */
export const TOKEN_VARIABLE = "DRAGOMAN_TOOLS_TOKEN";

/** The streams of the process that the agent started. */
interface BridgeStreams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: { write(text: string): unknown };
}

/**
 * Runs `dragoman tool-bridge`: passes everything between stdin and stdout and the tool server, until
 * either ends. The address and the token come from the environment, where other users cannot read them.
 * Resolves with the exit code.
 */
export function runToolBridge(
  env: Readonly<Record<string, string | undefined>>,
  { stdin, stdout, stderr }: BridgeStreams,
): Promise<number> {
  const { [SOCKET_VARIABLE]: path, [TOKEN_VARIABLE]: token } = env;
  if (!path || !token) {
    stderr.write(`tool-bridge: ${SOCKET_VARIABLE} and ${TOKEN_VARIABLE} are not set\n`);
    return Promise.resolve(2);
  }
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.write(`${token}\n`);
      // The end or failure of either direction closes the socket, and with it the program.
      pipeline(stdin, socket, () => {});
      socket.pipe(stdout);
      stdout.once("error", () => socket.destroy());
    });
    socket.once("error", (error) => {
      stderr.write(`tool-bridge: ${error.message}\n`);
      resolve(1);
    });
    socket.once("close", () => resolve(0));
  });
}

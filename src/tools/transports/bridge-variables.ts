/** The environment variables by which the bridge command learns where the server is. */
export const SOCKET_VARIABLE = "DRAGOMAN_TOOLS_SOCKET";
/** The variable with the token. A command line would show it to other users. */
export const TOKEN_VARIABLE = "DRAGOMAN_TOOLS_TOKEN";

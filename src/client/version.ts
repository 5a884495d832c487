declare const DRAGOMAN_VERSION: string | undefined;

/** How the client introduces itself unless the application sets `clientInfo`. */
export const DEFAULT_CLIENT_INFO = {
  name: "dragoman",
  title: "Dragoman",
  // The build replaces the name with the package's version. Run from source, it is not defined.
  version: typeof DRAGOMAN_VERSION === "string" ? DRAGOMAN_VERSION : "0.0.0-source",
} as const;

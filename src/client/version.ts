declare const DRAGOMAN_VERSION: string | undefined;

/** What agents are told unless the application introduces itself. */
export const DEFAULT_CLIENT_INFO = {
  name: "dragoman",
  title: "Dragoman",
  // The build puts the package's version in place of the name; run from source there is none.
  version: typeof DRAGOMAN_VERSION === "string" ? DRAGOMAN_VERSION : "0.0.0-source",
} as const;

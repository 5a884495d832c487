declare const DRAGOMAN_VERSION: string | undefined;

/** The build puts the package's version in place of the name; run from source there is none. */
export const version: string =
  typeof DRAGOMAN_VERSION === "string" ? DRAGOMAN_VERSION : "0.0.0-source";

declare const DRAGOMAN_VERSION: string | undefined;

/** The build replaces DRAGOMAN_VERSION. It is not defined when run from source. */
export const version: string =
  typeof DRAGOMAN_VERSION === "string" ? DRAGOMAN_VERSION : "0.0.0-source";

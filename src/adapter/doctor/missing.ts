import type { DroidNotFoundError } from "../../droid/index.ts";

/** Factory's install command. The CLI's agent catalogue has the same one. */
export const INSTALL = "curl -fsSL https://app.factory.ai/cli | sh";

/** The message for users when Droid is not found. */
export interface MissingDroid {
  readonly what: string;
  readonly advice: string;
  /** Each path that was tried. */
  readonly tried: readonly string[];
}

/** Explains a failed search for Droid to users. Pure. */
export function missingDroid({ tried }: DroidNotFoundError): MissingDroid {
  const [only] = tried;
  return {
    what:
      only !== undefined && tried.length === 1
        ? `Droid was not found: there is no executable file at ${only}`
        : "Droid was not found on the PATH or in the usual folders",
    advice: `Install Droid (${INSTALL}), or set its path with DROID_EXECUTABLE or droid-acp --droid.`,
    tried,
  };
}

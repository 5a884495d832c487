import type { DroidNotFoundError } from "../../droid/index.ts";

/** Factory's own way of installing it; the catalogue of the command line has the same. */
export const INSTALL = "curl -fsSL https://app.factory.ai/cli | sh";

/** What there is to tell when no Droid is found. */
export interface MissingDroid {
  readonly what: string;
  readonly advice: string;
  /** Each place that was looked at. */
  readonly tried: readonly string[];
}

/** The error of the search, in the words of this program's users. Pure. */
export function missingDroid({ tried }: DroidNotFoundError): MissingDroid {
  const [only] = tried;
  return {
    what:
      only !== undefined && tried.length === 1
        ? `Droid was not found: there is no executable file ${only}`
        : "Droid was not found on the PATH or in the usual folders",
    advice: `Install Droid (${INSTALL}), or name it with DROID_EXECUTABLE or the --droid of droid-acp.`,
    tried,
  };
}

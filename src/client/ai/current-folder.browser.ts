import { InvalidArgumentError } from "../index.ts";

/** Throws InvalidArgumentError: this runtime has no working folder. */
export function currentFolder(): string {
  throw new InvalidArgumentError("this runtime has no working folder: set the session's cwd");
}

import type { CheckReport } from "../../check/index.ts";
import { usageError } from "../exit.ts";

export function clientCheck(): () => Promise<CheckReport> {
  throw usageError("check client is not available yet");
}

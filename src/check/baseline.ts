import { asObject, isJsonObject, objectsField, stringField } from "../wire/index.ts";
import { counts, isViolation, type AcceptedResult, type FailLevel } from "./verdict.ts";
import type { CheckReport, CheckResult } from "./result.ts";

import { FRAMING_RULES } from "./framing.ts";
import { schemaRules } from "./schema-rules.ts";
import { REQUEST_RULES } from "./request-rules.ts";
import type { Rule } from "./rule.ts";
import { TOOL_RULES } from "./tool-rules.ts";
import { UPDATE_RULES } from "./update-rules.ts";
import { V2_RULES } from "./v2-rules.ts";

/** The passive rules of a version, for both sides. */
export function rulesOf(protocol: 1 | 2): readonly Rule[] {
  const common = [
    ...FRAMING_RULES,
    ...schemaRules(protocol === 1 ? "DRA-META-01" : "ACP-META-201"),
  ];
  return protocol === 1
    ? [...common, ...UPDATE_RULES, ...TOOL_RULES, ...REQUEST_RULES]
    : [...common, ...V2_RULES];
}

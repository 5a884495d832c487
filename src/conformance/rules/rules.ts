import { FRAMING_RULES } from "./framing.ts";
import { ORDER_RULES, V2_ORDER_RULES } from "./order-rules.ts";
import { schemaRules } from "./schema-rules.ts";
import { REQUEST_RULES } from "./request-rules.ts";
import type { Rule } from "./rule.ts";
import { TOOL_RULES } from "./tool-rules.ts";
import { UPDATE_RULES } from "./update-rules.ts";
import { V2_RULES } from "./v2-rules.ts";

/** The rules of a version, for both sides. */
export function rulesOf(protocol: 1 | 2): readonly Rule[] {
  const common = [
    ...FRAMING_RULES,
    ...schemaRules(protocol === 1 ? "DRA-META-01" : "ACP-META-201"),
  ];
  return protocol === 1
    ? [...common, ...UPDATE_RULES, ...TOOL_RULES, ...REQUEST_RULES, ...ORDER_RULES]
    : [...common, ...V2_RULES, ...V2_ORDER_RULES];
}

/** The requirements of a version that frames alone can show to be kept or broken. */
export function judgedIds(protocol: 1 | 2): ReadonlySet<string> {
  return new Set(rulesOf(protocol).flatMap(({ ids }) => ids));
}

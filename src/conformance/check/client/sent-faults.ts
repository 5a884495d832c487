import { paramsFaults, resultFaults } from "../../index.ts";
import { stringField, type JsonObject } from "../../../base/index.ts";

/** The faults of a message of the checking agent; `method` is that of the request it answers. */
export function sentFaults(
  message: JsonObject,
  method: string | undefined,
  protocol: 1 | 2,
): readonly string[] {
  const called = stringField(message, "method");
  const context = {
    from: "agent",
    isRequest: "id" in message,
    protocol,
    isUnstable: true,
  } as const;
  if (called !== undefined) return faultTexts(paramsFaults(called, message["params"], context));
  if (method === undefined || !("result" in message)) return [];
  return faultTexts(resultFaults(method, message["result"], protocol, true));
}

/** Faults as sentences. */
export function faultTexts(faults: ReturnType<typeof paramsFaults>): readonly string[] {
  return faults.map(({ path, message }) => `${path} ${message}`);
}

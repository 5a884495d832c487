import { RpcCode, RpcError, toErrorObject } from "../../../transport/rpc/index.ts";
import { FleetError } from "../errors.ts";

/** The error codes with which a gateway answers, besides those of a hub. */
export const GATEWAY_CODES = {
  /** A limit of the fleet is reached. The same request may succeed later. */
  tryLater: -32007,
} as const;

/** Pure: an error as clients get it. Errors of the agent stay what they are. */
export function clientError(error: unknown): unknown {
  if (error instanceof RpcError) return error;
  if (!(error instanceof FleetError)) {
    const { code, message, data } = toErrorObject(error, false);
    return new RpcError(code, message, data);
  }
  const { code, message } = error;
  const data = { reason: code };
  switch (code) {
    case "try_later":
      return new RpcError(GATEWAY_CODES.tryLater, message, data);
    case "invalid":
      return new RpcError(RpcCode.invalidParams, message, data);
    default:
      return new RpcError(RpcCode.internalError, message, data);
  }
}

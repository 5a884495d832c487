/** Which end of the connection the handlers are on. */
export type DialectRole = "client" | "agent";

/** Choices where the description of crow's dialect leaves room. */
export interface CrowOptions {
  /**
   * Whether a client answers a permission request with a notification or a request. Crow's description
   * names the method but not its form. Default: `notification`.
   */
  readonly permissionAnswer?: "notification" | "request" | undefined;
  /** The method of that answer. Default: `permission_response`. */
  readonly permissionMethod?: string | undefined;
}

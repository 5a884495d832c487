/** Which end of the connection the handlers are. */
export type DialectRole = "client" | "agent";

export interface CrowOptions {
  /** How a client answers a permission question: crow names the method and not its form. */
  readonly permissionAnswer?: "notification" | "request";
  /** The method of that answer; `permission_response` unless given. */
  readonly permissionMethod?: string;
}

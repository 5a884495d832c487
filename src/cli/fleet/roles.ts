/** The processes of a fleet, by their rights on the servers. */
export const FLEET_ROLES = ["admin", "worker", "gateway", "jobs", "status"] as const;
export type FleetRole = (typeof FLEET_ROLES)[number];

/** The first part of the subjects on which a role gets its answers. */
export function inboxOf(role: FleetRole): string {
  return `_INBOX_${role}`;
}

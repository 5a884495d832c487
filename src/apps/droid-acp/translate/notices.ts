/** Notices to the user beside the answer. Pure and total. */
import type { Notice } from "../../../agent/index.ts";
import type {
  DroidEvent,
  IgnoredSetting,
  McpServerReport,
  McpServerStatus,
} from "../../../droid/index.ts";
import { numberField, objectsField, stringField } from "../../../base/index.ts";
import { visibleField } from "./tool-input.ts";

/** Why Droid retries a model request, in words. */
const RETRIES: Readonly<Record<string, string>> = {
  rate_limited: "too many requests",
  overloaded: "overloaded or failing",
  timeout: "no answer in time",
};

/** The notice for an event, or undefined if the event needs none. */
export function noticeOf(event: Extract<DroidEvent, { type: "notice" }>): Notice | undefined {
  switch (event.kind) {
    case "retry": {
      const reason = RETRIES[event.reason ?? ""] ?? event.reason;
      const attempt = event.attempt === undefined ? "" : ` (attempt ${event.attempt})`;
      return {
        severity: "warning",
        title: `Retrying the model request${attempt}`,
        description: reason ? `The model service failed: ${reason}.` : undefined,
      };
    }
    case "compaction":
      return {
        severity: "info",
        title: "The conversation was compacted",
        description:
          event.removedCount === undefined
            ? undefined
            : `A summary replaced ${event.removedCount} messages.`,
      };
    case "hook":
      return hookNotice(event);
    case "discarded":
      return { severity: "warning", title: "Droid discarded a message", description: event.text };
    case "message": {
      const [first = "", ...more] = event.text.trim().split("\n");
      const description = more.join("\n").trim() || undefined;
      return { severity: "info", title: first.trim() || "Droid", description };
    }
    case "session":
    case "events_dropped":
      return undefined;
  }
}

/** Users know their own hooks, so only a failed hook gets a notice. */
function hookNotice(
  event: Extract<DroidEvent, { type: "notice"; kind: "hook" }>,
): Notice | undefined {
  if (event.stage !== "completed") return undefined;
  for (const result of objectsField(event.raw, "hookResults")) {
    const exitCode = numberField(result, "exitCode") ?? 0;
    if (exitCode === 0) continue;
    return {
      severity: "warning",
      title: `A ${event.event} hook exited with code ${exitCode}`,
      description: stringField(result, "stderr")?.trim() || undefined,
    };
  }
  return undefined;
}

/** Notices about the MCP servers from Droid's own settings: failed servers and logins. */
export function mcpNotices(event: Extract<DroidEvent, { type: "mcp" }>): readonly Notice[] {
  switch (event.kind) {
    case "status":
      return event.servers.filter(({ status }) => status === "failed").flatMap(failedServer);
    case "auth_required":
      return [loginNotice(event.server, event.message, event.url)];
    case "auth_completed":
      return [{ severity: "info", title: `Signed in to the MCP server ${event.server}` }];
  }
}

function failedServer({ name, error, raw }: McpServerStatus): readonly Notice[] {
  const url = visibleField(raw, "pendingAuthUrl");
  if (url !== undefined) return [loginNotice(name, visibleField(raw, "pendingAuthMessage"), url)];
  // 0.215 and later first report only that a login is missing. They give a URL on request.
  if (raw["requiresAuth"] === true || error === "Authentication required")
    return [loginNotice(name, `Run /mcp-login ${name} to sign in with the browser.`, undefined)];
  return [
    {
      severity: "warning",
      title: `The MCP server ${name} does not work`,
      description: error || undefined,
    },
  ];
}

function loginNotice(server: string, message: string | undefined, url: string | undefined): Notice {
  const lines = [message, url && `Sign in at ${url}`].filter(Boolean);
  return {
    severity: "warning",
    title: `The MCP server ${server} needs a login`,
    description: lines.join("\n") || undefined,
  };
}

/** Notices about MCP servers from the client that do not work. */
export function serverNotices(reports: readonly McpServerReport[]): readonly Notice[] {
  return reports.flatMap(({ name, status }): Notice[] => {
    if (status === "connected") return [];
    const [what, description] = UNUSABLE[status];
    return [{ severity: "warning", title: `The MCP server ${name} ${what}`, description }];
  });
}

const UNUSABLE = {
  failed: ["does not work", "It could not be started or reached, or it has no tools."],
  unsupported: [
    "is not used",
    "This version of Droid does not start MCP servers from the client; 0.215 and later do.",
  ],
} as const;

export function ignoredNotices(ignored: readonly IgnoredSetting[]): readonly Notice[] {
  return ignored.map(({ setting, requested, actual, kind }) => ({
    severity: "warning",
    title:
      kind === "unlisted"
        ? `Droid does not list the model ${requested}`
        : `Droid did not apply ${setting} “${requested}”`,
    description:
      actual === undefined || kind === "unlisted" ? undefined : `It uses ${actual} instead.`,
  }));
}

/** A notice as plain text, for clients that do not support notices. */
export function noticeAsText({ title, description }: Notice): string {
  return description === undefined ? `${title}\n` : `${title}\n${description}\n`;
}

/** What Droid tells beside its answer, as notices. Pure and total. */
import type {
  DroidEvent,
  IgnoredSetting,
  McpServerReport,
  McpServerStatus,
} from "../../droid/index.ts";

import { visibleField } from "./fields.ts";

export interface NoticeText {
  readonly severity: "info" | "warning" | "error";
  readonly title: string;
  readonly description?: string;
}

/** Why the model service is asked again, in words. */
const RETRIES: Readonly<Record<string, string>> = {
  rate_limited: "it takes no more requests for now",
  overloaded: "it is overloaded or failing",
  timeout: "it did not answer in time",
};

/** The notice an event amounts to; undefined for what is told in other ways, or not at all. */
export function noticeOf(event: Extract<DroidEvent, { type: "notice" }>): NoticeText | undefined {
  switch (event.kind) {
    case "retry": {
      const reason =
        event.reason === undefined ? undefined : (RETRIES[event.reason] ?? event.reason);
      return {
        severity: "warning",
        title: `Asking the model again${event.attempt === undefined ? "" : ` (attempt ${event.attempt})`}`,
        ...(reason === undefined ? {} : { description: `The model service failed: ${reason}.` }),
      };
    }
    case "compaction":
      return {
        severity: "info",
        title: "The conversation was compacted",
        ...(event.removedCount === undefined
          ? {}
          : { description: `${event.removedCount} messages became a summary.` }),
      };
    case "hook":
      return hookNotice(event);
    case "discarded":
      return { severity: "warning", title: "Droid discarded a message", description: event.text };
    case "message":
      return { severity: "info", title: firstLine(event.text), ...rest(event.text) };
    case "session":
    case "events_dropped":
      return undefined;
  }
}

/** Hooks are the user's own; only one that failed is worth a word. */
function hookNotice(
  event: Extract<DroidEvent, { type: "notice"; kind: "hook" }>,
): NoticeText | undefined {
  const results = event.raw["hookResults"];
  if (event.stage !== "completed" || !Array.isArray(results)) return undefined;
  for (const result of results) {
    if (typeof result !== "object" || result === null || !("exitCode" in result)) continue;
    const { exitCode } = result;
    if (typeof exitCode !== "number" || exitCode === 0) continue;
    const stderr = "stderr" in result && typeof result.stderr === "string" ? result.stderr : "";
    return {
      severity: "warning",
      title: `A ${event.event} hook exited with code ${exitCode}`,
      ...(stderr.trim() === "" ? {} : { description: stderr.trim() }),
    };
  }
  return undefined;
}

/** What there is to tell of Droid's own MCP servers: those that fail, and logins. */
export function mcpNotices(event: Extract<DroidEvent, { type: "mcp" }>): readonly NoticeText[] {
  switch (event.kind) {
    case "status":
      return event.servers.filter(({ status }) => status === "failed").flatMap(failedServer);
    case "auth_required":
      return [loginNotice(event.server, event.message, event.url)];
    case "auth_completed":
      return [{ severity: "info", title: `Signed in to the MCP server ${event.server}` }];
  }
}

function failedServer({ name, error, raw }: McpServerStatus): readonly NoticeText[] {
  const url = visibleField(raw, "pendingAuthUrl");
  if (url !== undefined) return [loginNotice(name, visibleField(raw, "pendingAuthMessage"), url)];
  // 0.215 and later say first only in words that a login is missing; they give an address when asked.
  if (raw["requiresAuth"] === true || error === "Authentication required")
    return [loginNotice(name, `/mcp-login ${name} opens it in the browser.`, undefined)];
  return [
    {
      severity: "warning",
      title: `The MCP server ${name} does not work`,
      ...(error === undefined || error === "" ? {} : { description: error }),
    },
  ];
}

function loginNotice(
  server: string,
  message: string | undefined,
  url: string | undefined,
): NoticeText {
  const lines = [message, url && `Sign in at ${url}`].filter(Boolean);
  return {
    severity: "warning",
    title: `The MCP server ${server} needs a login`,
    ...(lines.length === 0 ? {} : { description: lines.join("\n") }),
  };
}

/** What became of the servers a client gave, as far as it is bad news. */
export function serverNotices(reports: readonly McpServerReport[]): readonly NoticeText[] {
  return reports.flatMap(({ name, status }): NoticeText[] => {
    switch (status) {
      case "connected":
        return [];
      case "failed":
        return [
          {
            severity: "warning",
            title: `The MCP server ${name} does not work`,
            description: "It could not be started or reached, or it has no tools.",
          },
        ];
      case "unsupported":
        return [
          {
            severity: "warning",
            title: `The MCP server ${name} is not used`,
            description: "This version of Droid starts no servers of clients; 0.215 and later do.",
          },
        ];
    }
  });
}

/** Wishes that Droid did not follow. */
export function ignoredNotices(ignored: readonly IgnoredSetting[]): readonly NoticeText[] {
  return ignored.map(({ setting, requested, actual, kind }) => ({
    severity: "warning",
    title:
      kind === "unlisted"
        ? `${requested} is none of the models that Droid lists`
        : `Droid did not take ${setting} “${requested}”`,
    ...(actual === undefined || kind === "unlisted" ? {} : { description: `It uses ${actual}.` }),
  }));
}

/** A notice as one text, for clients that show no notices. */
export function noticeAsText({ title, description }: NoticeText): string {
  return description === undefined ? `${title}\n` : `${title}\n${description}\n`;
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0]?.trim() || "Droid";
}

function rest(text: string): { readonly description?: string } {
  const more = text.trim().split("\n").slice(1).join("\n").trim();
  return more === "" ? {} : { description: more };
}

import type { App } from "../app.ts";
import type { PageRecording } from "../recording.ts";
import type { TemplateResult } from "lit-html";
import { chip, empty, type Shown } from "./ui.ts";

/** A view without content, and why. Only a recording that was read to its end lacks something for good. */
export function absent(
  app: App,
  { state }: PageRecording,
  title: string,
  why: Shown,
): TemplateResult {
  if (app.link.range)
    return empty(
      `${title} in this stretch of time`,
      chip("Show the whole session", () => app.go({ range: undefined }), "button"),
    );
  if (state.type === "done") return empty(title, why);
  return empty(`${title} so far`, UNFINISHED[state.type]);
}

const UNFINISHED = {
  loading: "The recording is still being read.",
  live: "The session is still running.",
  interrupted: "The rest is shown when the connection is back.",
  failed: "Only a part of the recording could be read.",
} as const;

/** The forms in which a report of a run is given to people and programs. */
export {
  type AreaResults,
  baselineNotes,
  byArea,
  countsText,
  explanation,
  frameLines,
  type JudgedReport,
  notable,
  outcomeText,
  settingText,
  type ShownAs,
  shownAs,
  subjectText,
} from "./facts.ts";
export { htmlReport } from "./html.ts";
export { parseReport, ReportError, reportJson } from "./json.ts";
export { junitXml } from "./junit.ts";
export { markdownReport } from "./markdown.ts";
export { MATRIX_MARKS } from "./matrix.ts";
export { reportRedactor } from "./redact.ts";

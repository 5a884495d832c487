import {
  asObject,
  type JsonObject,
  objectField,
  objectsField,
  stringField,
  stringsField,
  numberField,
} from "../../base/index.ts";
import type { PermissionDecision, PermissionOptionKind } from "../../protocol/acp/index.ts";
import { readToolUse, type ToolUse } from "./messages.ts";

/** How much a step may change, in Droid's judgment. */
type ImpactLevel = "low" | "medium" | "high" | (string & {});

/** The details of a step that Droid asks permission for, by kind. */
export type ConfirmationDetails =
  | {
      readonly kind: "exec";
      readonly fullCommand: string;
      /** The command line as Droid shortens it, if it does. */
      readonly command: string | undefined;
      /** The names of the programs that the command line starts, as far as Droid recognizes them. */
      readonly extractedCommands: readonly string[];
      /** How much the step may change, in Droid's judgment. */
      readonly impactLevel: ImpactLevel | undefined;
      /** Not in 0.99. */
      readonly riskLevelReason: string | undefined;
    }
  | {
      readonly kind: "create";
      readonly filePath: string;
      readonly fileName: string | undefined;
      readonly content: string;
    }
  /** Both contents are of the whole file. */
  | {
      readonly kind: "edit";
      readonly filePath: string;
      readonly fileName: string | undefined;
      /** The whole file before the edit. */
      readonly oldContent: string;
      /** The whole file after the edit. */
      readonly newContent: string;
    }
  /** OpenAI models, and own-key models with the name of one, get this tool for edits. */
  | {
      readonly kind: "apply_patch";
      readonly filePath: string;
      /** The patch, in the format of the model. */
      readonly patch: string;
      readonly files: readonly PatchedFile[];
    }
  | {
      readonly kind: "mcp_tool";
      /** The name the model calls: `server___tool`. */
      readonly toolName: string;
      readonly serverName: string | undefined;
      /** The name of the tool on its server, if Droid reports it. */
      readonly actualToolName: string | undefined;
      /** How much the step may change, in Droid's judgment. */
      readonly impactLevel: ImpactLevel | undefined;
    }
  | {
      readonly kind: "exit_spec_mode";
      /** The plan, as Markdown. */
      readonly plan: string;
      readonly title: string | undefined;
      /**
       * The names of the plans to choose from, if there are several. The choice goes into the
       * comment of the answer.
       */
      readonly optionNames: readonly string[];
    }
  | { readonly kind: "unknown"; readonly raw: JsonObject };

/** One file of a patch. Droid up to 0.117 does not report the operation. */
interface PatchedFile {
  readonly filePath: string;
  /** The operation, in Droid's words; undefined up to 0.117. */
  readonly operation: string | undefined;
  /** The whole file before the patch, if there was one. */
  readonly oldContent: string | undefined;
  /** The whole file after the patch, if there is one. */
  readonly newContent: string | undefined;
}

/** One step of a permission request. */
export interface PermissionToolUse {
  readonly toolUse: ToolUse;
  /** Droid's own value. `details.kind` is the same for known kinds. */
  readonly confirmationType: string;
  /** The details of the step, by its kind. */
  readonly details: ConfirmationDetails;
}

/** The option values seen so far. A request lists the ones it offers, which may include others. */
type DroidPermissionOptionValue =
  | "proceed_once"
  | "proceed_always"
  | "proceed_always_tools"
  | "proceed_always_server"
  | "proceed_auto_run_low"
  | "proceed_auto_run_medium"
  | "proceed_auto_run_high"
  | "proceed_new_session"
  | "proceed_new_session_low"
  | "proceed_new_session_medium"
  | "proceed_new_session_high"
  | "cancel"
  | (string & {});

/** One of the answers Droid offers. */
export interface DroidPermissionOption {
  /** The value that an answer gives. */
  readonly value: DroidPermissionOptionValue;
  /** The label for the user. */
  readonly label: string;
}

/** Droid asks for permission. One answer applies to all tools of the request. */
export interface DroidPermissionRequest {
  readonly requestId: string;
  /** The steps that need permission. There are several if the model called several tools at once. */
  readonly toolUses: readonly PermissionToolUse[];
  /** The answers that Droid offers. `cancel` is always valid. */
  readonly options: readonly DroidPermissionOption[];
  readonly raw: JsonObject;
}

/**
 * The value of an option, or a decision as for any agent. `allow` approves once, and `allow_always`
 * chooses the narrowest option that approves from now on, or approves once if there is none. `deny`
 * chooses the option that refuses, and `cancel` the one of that name; both end the turn. `optionId` is the
 * value of an option. A comment reaches the model only when it approves a plan (not in 0.99).
 */
export type DroidPermissionAnswer =
  | PermissionDecision
  | DroidPermissionOptionValue
  | {
      /** The value of the chosen option. */
      readonly option: DroidPermissionOptionValue;
      /** A comment for the model. */
      readonly comment?: string | undefined;
    };

/** Passed to a handler in addition to the request. */
interface HandlerContext {
  /** Aborted once the answer is no longer needed because the turn or the connection ended. */
  readonly signal: AbortSignal;
}

/** Answers a permission request. If it throws, the answer is `cancel`. */
export type DroidPermissionHandler = (
  request: DroidPermissionRequest,
  context: HandlerContext,
) => DroidPermissionAnswer | Promise<DroidPermissionAnswer>;

/** Reads a permission request of any version. */
export function readDroidPermissionRequest(
  requestId: string,
  params: unknown,
): DroidPermissionRequest {
  const raw = asObject(params);
  return {
    requestId,
    toolUses: objectsField(raw, "toolUses").map(readPermissionToolUse),
    options: objectsField(raw, "options").map((option) => {
      const value = stringField(option, "value") ?? "";
      return { value, label: stringField(option, "label") ?? value };
    }),
    raw,
  };
}

function readPermissionToolUse(value: JsonObject): PermissionToolUse {
  const details = objectField(value, "details") ?? {};
  const confirmationType =
    stringField(value, "confirmationType") ?? stringField(details, "type") ?? "unknown";
  const toolUse = readToolUse(objectField(value, "toolUse")) ?? { id: "", name: "", input: {} };
  return { toolUse, confirmationType, details: readDetails(confirmationType, details, toolUse) };
}

function readDetails(kind: string, details: JsonObject, toolUse: ToolUse): ConfirmationDetails {
  const text = (key: string): string => stringField(details, key) ?? "";
  const fileName = stringField(details, "fileName");
  const impactLevel = stringField(details, "impactLevel");
  switch (kind) {
    case "exec":
      return {
        kind,
        fullCommand:
          stringField(details, "fullCommand") ?? stringField(toolUse.input, "command") ?? "",
        command: stringField(details, "command"),
        extractedCommands: stringsField(details, "extractedCommands"),
        impactLevel,
        riskLevelReason: stringField(details, "riskLevelReason"),
      };
    case "create":
      return { kind, filePath: text("filePath"), fileName, content: text("content") };
    case "edit":
      return {
        kind,
        filePath: text("filePath"),
        fileName,
        oldContent: text("oldContent"),
        newContent: text("newContent"),
      };
    case "apply_patch":
      return {
        kind,
        filePath: text("filePath"),
        patch: text("patchContent"),
        files: patchedFiles(details),
      };
    case "mcp_tool":
      return {
        kind,
        toolName: stringField(details, "toolName") ?? toolUse.name,
        serverName: stringField(details, "serverName"),
        actualToolName: stringField(details, "actualToolName"),
        impactLevel,
      };
    case "exit_spec_mode": {
      const names = stringsField(details, "optionNames");
      return {
        kind,
        plan: stringField(details, "plan") ?? stringField(toolUse.input, "plan") ?? "",
        title: stringField(details, "title") ?? stringField(toolUse.input, "title"),
        // 0.225 omits them from the details.
        optionNames: names.length > 0 ? names : stringsField(toolUse.input, "optionNames"),
      };
    }
    default:
      return { kind: "unknown", raw: details };
  }
}

/** Droid lists the files of a patch since 0.215. In earlier versions the details describe a single file. */
function patchedFiles(details: JsonObject): readonly PatchedFile[] {
  const listed = objectsField(details, "files");
  return (listed.length > 0 ? listed : [details]).map((file) => ({
    filePath: stringField(file, "filePath") ?? "",
    operation: stringField(file, "operation"),
    oldContent: stringField(file, "oldContent"),
    newContent: stringField(file, "newContent"),
  }));
}

/** The answer that denies permission. It is always valid, and ends the turn. */
export const CANCEL: JsonObject = { selectedOption: "cancel" };

/** The response to send; undefined if the request did not offer the option. */
export function permissionResult(
  { options }: DroidPermissionRequest,
  answer: DroidPermissionAnswer,
): JsonObject | undefined {
  const { option, comment } = choiceOf(options, answer);
  if (option !== "cancel" && !options.some(({ value }) => value === option)) return undefined;
  return comment === undefined ? { selectedOption: option } : { selectedOption: option, comment };
}

interface Choice {
  readonly option: string | undefined;
  readonly comment?: string | undefined;
}

function choiceOf(
  options: readonly DroidPermissionOption[],
  answer: DroidPermissionAnswer,
): Choice {
  if (typeof answer === "object") {
    if ("decision" in answer) return { option: refusal(options), comment: answer.message };
    return "optionId" in answer ? { option: answer.optionId } : answer;
  }
  switch (answer) {
    case "allow":
      return { option: approval(options) };
    case "allow_always":
      return { option: lastingApproval(options) ?? approval(options) };
    case "deny":
      return { option: refusal(options) };
    default:
      return { option: answer };
  }
}

/** The options that approve from now on, narrowest first: a tool, a server, then everything of a risk. */
const LASTING: readonly DroidPermissionOptionValue[] = [
  "proceed_always_tools",
  "proceed_always_server",
  "proceed_always",
  "proceed_auto_run_low",
  "proceed_auto_run_medium",
  "proceed_auto_run_high",
];

function lastingApproval(options: readonly DroidPermissionOption[]): string | undefined {
  return LASTING.find((lasting) => options.some(({ value }) => value === lasting));
}

function approval(options: readonly DroidPermissionOption[]): string | undefined {
  return options.find(
    ({ value }) => permissionOptionKind(value) === "allow_once" && !switchesSession(value),
  )?.value;
}

function refusal(options: readonly DroidPermissionOption[]): string {
  const refuses = options.filter(({ value }) => permissionOptionKind(value) === "reject_once");
  return refuses.find(({ value }) => value !== "" && value !== "cancel")?.value ?? "cancel";
}

/**
 * The kind of an option in the words of ACP. An unknown option that does not start with `proceed` denies,
 * so that nothing is allowed by mistake.
 */
export function permissionOptionKind(value: string): PermissionOptionKind {
  if (value.startsWith("proceed_always") || value.startsWith("proceed_auto_run"))
    return "allow_always";
  return value.startsWith("proceed") ? "allow_once" : "reject_once";
}

/** Whether an option makes Droid run an approved plan in a new session. */
export function switchesSession(value: string): boolean {
  return value.startsWith("proceed_new_session");
}

/** Whether the answer makes Droid run an approved plan in a new session. */
export function entersNewSession({ selectedOption }: JsonObject): boolean {
  return typeof selectedOption === "string" && switchesSession(selectedOption);
}

/** One question of a request. */
export interface AskUserQuestion {
  /** The number of the question, counted from 1. */
  readonly index: number;
  /** A short heading, if the model wrote one. */
  readonly topic: string | undefined;
  readonly question: string;
  /** Suggestions. Any other text is a valid answer too. */
  readonly options: readonly string[];
  readonly raw: JsonObject;
}

/** Droid asks the user questions on behalf of the model. */
export interface AskUserRequest {
  readonly requestId: string;
  readonly toolCallId: string | undefined;
  readonly questions: readonly AskUserQuestion[];
}

/** One answer per question, in order or by the index of the question. `null` declines. */
export type AskUserAnswer =
  | readonly string[]
  | readonly {
      /** The index of the question. */
      readonly index: number;
      readonly answer: string;
    }[]
  | null;

/** Answers questions. If it throws or omits an answer, all questions are declined. */
export type AskUserHandler = (
  request: AskUserRequest,
  context: HandlerContext,
) => AskUserAnswer | Promise<AskUserAnswer>;

export function readAskUser(requestId: string, params: unknown): AskUserRequest {
  const raw = asObject(params);
  return {
    requestId,
    toolCallId: stringField(raw, "toolCallId"),
    questions: objectsField(raw, "questions").map((question, position) => ({
      index: numberField(question, "index") ?? position + 1,
      topic: stringField(question, "topic"),
      question: stringField(question, "question") ?? "",
      options: stringsField(question, "options"),
      raw: question,
    })),
  };
}

/** The answer that declines. It is always valid; new versions then end the turn. */
export const DECLINED: JsonObject = { cancelled: true, answers: [] };

/**
 * The response to send. Answers are always sent as objects, because plain strings hung 0.57.14
 * forever. Returns undefined if any question has no answer, since Droid would read that as an empty
 * answer.
 */
export function askUserResult(
  request: AskUserRequest,
  answer: AskUserAnswer,
): JsonObject | undefined {
  if (answer === null) return DECLINED;
  const answers = request.questions.map(({ index, question }, position) => ({
    index,
    question,
    answer: answerTo(index, position, answer),
  }));
  if (answers.some((one) => one.answer === undefined)) return undefined;
  return { cancelled: false, answers };
}

function answerTo(
  index: number,
  position: number,
  answers: NonNullable<AskUserAnswer>,
): string | undefined {
  const atPosition = answers[position];
  if (typeof atPosition === "string") return atPosition;
  for (const one of answers) if (typeof one === "object" && one.index === index) return one.answer;
  return undefined;
}

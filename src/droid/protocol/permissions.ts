import {
  asObject,
  type JsonObject,
  objectField,
  objectsField,
  stringField,
  stringsField,
} from "../../base/index.ts";
import { readToolUse, type ToolUse } from "./protocol.ts";

/** How much a step may change, in Droid's judgement. */
export type ImpactLevel = "low" | "medium" | "high" | (string & {});

/** The details of a step that Droid asks permission for, by kind. */
export type ConfirmationDetails =
  | {
      readonly kind: "exec";
      /** The whole command line. */
      readonly fullCommand: string;
      /** The command line as Droid shortens it, if it does. */
      readonly command: string | undefined;
      /**
       * The names of the programs that the command line starts, as far as Droid recognises them.
       */
      readonly extractedCommands: readonly string[];
      /** How much the step may change, in Droid's judgement. */
      readonly impactLevel: ImpactLevel | undefined;
      /** Not in 0.99. */
      readonly riskLevelReason: string | undefined;
    }
  | {
      readonly kind: "create";
      readonly filePath: string;
      /** The name of the file, if Droid reports it. */
      readonly fileName: string | undefined;
      readonly content: string;
    }
  /** Both contents are of the whole file. */
  | {
      readonly kind: "edit";
      readonly filePath: string;
      /** The name of the file, if Droid reports it. */
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
      /** The files that the patch changes. */
      readonly files: readonly PatchedFile[];
    }
  | {
      readonly kind: "mcp_tool";
      /** The name the model calls: `server___tool`. */
      readonly toolName: string;
      /** The MCP server, if Droid reports it. */
      readonly serverName: string | undefined;
      /** The name of the tool on its server, if Droid reports it. */
      readonly actualToolName: string | undefined;
      /** How much the step may change, in Droid's judgement. */
      readonly impactLevel: ImpactLevel | undefined;
    }
  | {
      readonly kind: "exit_spec_mode";
      /** The plan, as Markdown. */
      readonly plan: string;
      /** The title of the plan, if it has one. */
      readonly title: string | undefined;
      /**
       * The names of the plans to choose from, if there are several. The choice goes into the
       * comment of the answer.
       */
      readonly optionNames: readonly string[];
    }
  | {
      readonly kind: "unknown";
      /** The details as Droid sent them. */
      readonly raw: JsonObject;
    };

/** One file of a patch. Droid up to 0.117 does not report the operation. */
export interface PatchedFile {
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
  /** The tool call. */
  readonly toolUse: ToolUse;
  /** Droid's own value. `details.kind` is the same for known kinds. */
  readonly confirmationType: string;
  /** The details of the step, by its kind. */
  readonly details: ConfirmationDetails;
}

/** The option values seen so far. A request lists the ones it offers, which may include others. */
export type DroidPermissionOptionValue =
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
  /** Droid's id for this request. */
  readonly requestId: string;
  /**
   * The steps that need permission. There are several if the model called several tools at once.
   */
  readonly toolUses: readonly PermissionToolUse[];
  /** The answers that Droid offers. `cancel` is always valid. */
  readonly options: readonly DroidPermissionOption[];
  /** The request as Droid sent it. */
  readonly raw: JsonObject;
}

/** The value of an option. A comment reaches the model only when it approves a plan (not in 0.99). */
export type DroidPermissionAnswer =
  | DroidPermissionOptionValue
  | {
      /** The value of the chosen option. */
      readonly option: DroidPermissionOptionValue;
      /** A comment for the model. */
      readonly comment?: string | undefined;
    };

/** Passed to a handler in addition to the request. */
export interface HandlerContext {
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
  request: DroidPermissionRequest,
  answer: DroidPermissionAnswer,
): JsonObject | undefined {
  const { option, comment } =
    typeof answer === "string" ? { option: answer, comment: undefined } : answer;
  if (option !== "cancel" && !request.options.some(({ value }) => value === option))
    return undefined;
  return comment === undefined ? { selectedOption: option } : { selectedOption: option, comment };
}

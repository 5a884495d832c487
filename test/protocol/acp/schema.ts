import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { Ajv2020 } from "ajv/dist/2020.js";

const require = createRequire(import.meta.url);
const schema: unknown = JSON.parse(
  readFileSync(require.resolve("@agentclientprotocol/sdk/schema/v1/schema.json"), "utf8"),
);

const ajv = new Ajv2020({ strict: false, validateFormats: false });
if (typeof schema !== "object" || schema === null) throw new Error("the schema is not an object");
ajv.addSchema(schema, "acp");

const REQUESTS = new Map([
  ["initialize", "InitializeRequest"],
  ["authenticate", "AuthenticateRequest"],
  ["logout", "LogoutRequest"],
  ["session/new", "NewSessionRequest"],
  ["session/load", "LoadSessionRequest"],
  ["session/resume", "ResumeSessionRequest"],
  ["session/list", "ListSessionsRequest"],
  ["session/delete", "DeleteSessionRequest"],
  ["session/close", "CloseSessionRequest"],
  ["session/prompt", "PromptRequest"],
  ["session/cancel", "CancelNotification"],
  ["session/set_mode", "SetSessionModeRequest"],
  ["session/set_config_option", "SetSessionConfigOptionRequest"],
  ["session/update", "SessionNotification"],
  ["session/request_permission", "RequestPermissionRequest"],
  ["fs/read_text_file", "ReadTextFileRequest"],
  ["fs/write_text_file", "WriteTextFileRequest"],
  ["terminal/create", "CreateTerminalRequest"],
  ["terminal/output", "TerminalOutputRequest"],
  ["terminal/wait_for_exit", "WaitForTerminalExitRequest"],
  ["terminal/kill", "KillTerminalRequest"],
  ["terminal/release", "ReleaseTerminalRequest"],
  ["elicitation/create", "CreateElicitationRequest"],
  ["elicitation/complete", "CompleteElicitationNotification"],
  ["$/cancel_request", "CancelRequestNotification"],
]);

/** The faults that the official schema finds in a value of one of its definitions; empty when valid. */
export function schemaFaults(definition: string, value: unknown): readonly string[] {
  const validate = ajv.getSchema(`acp#/$defs/${definition}`);
  if (validate === undefined) throw new Error(`no definition ${definition}`);
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ""}`);
}

/** The faults that the official schema finds in the params of a method. */
export function schemaParamFaults(method: string, params: unknown): readonly string[] {
  const definition = REQUESTS.get(method);
  if (definition === undefined) return [`${method} is not in the schema`];
  return schemaFaults(definition, params);
}

/** The numbers that a definition of the schema lists as its values. */
export function constantsOf(definition: string): number[] {
  const listed = JSON.stringify(ajv.getSchema(`acp#/$defs/${definition}`)?.schema);
  return [...listed.matchAll(/"const":(-?\d+)/g)].map(([, value]) => Number(value));
}

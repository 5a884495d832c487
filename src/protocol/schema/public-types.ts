/** What `dragoman/tools` publishes as well. */
export type * from "./json-schema.ts";
export type { StandardSchema, StandardSchemaIssue, StandardSchemaResult } from "./standard.ts";

import type { ClientCase } from "../case.ts";
import { CANCEL_CASES } from "./cancel.ts";
import { JSON_RPC_CASES } from "./json-rpc.ts";
import { QUESTION_CASES } from "./questions.ts";
import { TURN_CASES } from "./turn.ts";
import { END_CASES } from "./end.ts";
import { FILE_CASES } from "./files.ts";
import { SESSION_CASES } from "./sessions.ts";
import { START_CASES } from "./start.ts";
import { TERMINAL_CASES } from "./terminals.ts";
import { V2_CASES } from "./v2.ts";

/** Every case of a client. Those that wait longest come first, so that others run next to them. */
export const CLIENT_CASES: readonly ClientCase[] = [
  ...END_CASES,
  ...START_CASES,
  ...JSON_RPC_CASES,
  ...SESSION_CASES,
  ...TURN_CASES,
  ...QUESTION_CASES,
  ...CANCEL_CASES,
  ...FILE_CASES,
  ...TERMINAL_CASES,
  ...V2_CASES,
];

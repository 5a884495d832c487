import type { ClientCase } from "../case.ts";
import { CANCEL_CASES } from "./cancel.ts";
import { ELICITATION_CASES } from "./elicitation.ts";
import { END_CASES } from "./end.ts";
import { FILE_CASES } from "./files.ts";
import { FRAMING_CASES } from "./framing.ts";
import { LOAD_CASES } from "./load.ts";
import { PERMISSION_CASES } from "./permission.ts";
import { PROMPT_CASES } from "./prompt.ts";
import { RPC_CASES } from "./rpc.ts";
import { SESSION_CASES } from "./sessions.ts";
import { START_CASES } from "./start.ts";
import { TERMINAL_CASES } from "./terminals.ts";
import { UPDATE_CASES } from "./updates.ts";
import { V2_CASES } from "./v2.ts";

/** Every case of a client. Those that wait longest come first, so that others run next to them. */
export const CLIENT_CASES: readonly ClientCase[] = [
  ...END_CASES,
  ...START_CASES,
  ...FRAMING_CASES,
  ...RPC_CASES,
  ...SESSION_CASES,
  ...LOAD_CASES,
  ...PROMPT_CASES,
  ...UPDATE_CASES,
  ...PERMISSION_CASES,
  ...CANCEL_CASES,
  ...FILE_CASES,
  ...TERMINAL_CASES,
  ...ELICITATION_CASES,
  ...V2_CASES,
];

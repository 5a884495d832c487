import { Grammar } from "../shell/parse.ts";
import { agents } from "./agents/declaration.ts";
import { attach } from "./attach/declaration.ts";
import { chat } from "./chat/declaration.ts";
import { check } from "./check/declaration.ts";
import { compare } from "./compare/declaration.ts";
import { completion } from "./completion/declaration.ts";
import { config } from "./config/declaration.ts";
import { doctor } from "./doctor/declaration.ts";
import { fleet } from "./fleet/declaration.ts";
import { gateway } from "./gateway/declaration.ts";
import { help } from "./help/declaration.ts";
import { hub } from "./hub/declaration.ts";
import { inspect } from "./inspect/declaration.ts";
import { jobs } from "./jobs/declaration.ts";
import { prompt } from "./prompt/declaration.ts";
import { proxy } from "./proxy/declaration.ts";
import { replay } from "./replay/declaration.ts";
import { serve } from "./serve/declaration.ts";
import { sessions } from "./sessions/declaration.ts";
import { worker } from "./worker/declaration.ts";

/** The whole command line: what each command declares, and its code, which is loaded when it runs. */
export const GRAMMAR = new Grammar({ ...prompt, load: () => import("./prompt/command.ts") }, [
  { ...chat, load: () => import("./chat/command.ts") },
  { ...agents, load: () => import("./agents/command.ts") },
  { ...sessions, load: () => import("./sessions/command.ts") },
  { ...compare, load: () => import("./compare/command.ts") },
  { ...doctor, load: () => import("./doctor/command.ts") },
  { ...check, load: () => import("./check/command.ts") },
  { ...inspect, load: () => import("./inspect/command.ts") },
  { ...config, load: () => import("./config/command.ts") },
  { ...proxy, load: () => import("./proxy/command.ts") },
  { ...serve, load: () => import("./serve/command.ts") },
  { ...hub, load: () => import("./hub/command.ts") },
  { ...attach, load: () => import("./attach/command.ts") },
  { ...worker, load: () => import("./worker/command.ts") },
  { ...gateway, load: () => import("./gateway/command.ts") },
  { ...jobs, load: () => import("./jobs/command.ts") },
  { ...fleet, load: () => import("./fleet/command.ts") },
  { ...replay, load: () => import("./replay/command.ts") },
  { ...completion, load: () => import("./completion/command.ts") },
  { ...help, load: () => import("./help/command.ts") },
]);

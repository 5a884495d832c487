import { modelMutants } from "../../../support/check/agent-mutants.ts";
import { breaksItsRequirements } from "../mutants.ts";

breaksItsRequirements(modelMutants);

import { modelMutants } from "../../../support/check/model-mutants.ts";
import { breaksItsRequirements } from "../mutants.ts";

breaksItsRequirements(modelMutants);

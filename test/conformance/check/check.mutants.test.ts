import { basicMutants, v2Mutants } from "../../support/check/agent-mutants.ts";
import { breaksItsRequirements } from "./mutants.ts";

breaksItsRequirements([...basicMutants, ...v2Mutants]);

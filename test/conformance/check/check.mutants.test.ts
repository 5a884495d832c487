import { basicMutants } from "../../support/check/basic-mutants.ts";
import { v2Mutants } from "../../support/check/v2-mutants.ts";
import { breaksItsRequirements } from "./mutants.ts";

breaksItsRequirements([...basicMutants, ...v2Mutants]);

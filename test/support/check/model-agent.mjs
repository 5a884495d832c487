// An agent that keeps every rule of ACP that `dragoman check` judges, with the model at MODEL_URL (OpenAI chat).
// With `--defect NAME` it breaks one rule; model-mutants.ts lists the names.
import { serve } from "./model-agent/serve.mjs";

serve();

import * as v2 from "./parts.ts";

/** The code for v2. It is not loaded later, because a page is often one file without parts to load. */
export const loadV2 = () => Promise.resolve(v2);

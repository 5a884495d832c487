/** Loads the code for v2, which most connections never need. */
export const loadV2 = () => import("./parts.ts");

/** A patch that adds, moves and deletes a file. */
export const PATCH = `*** Begin Patch
*** Add File: new.ts
+one
+two
*** Update File: src/a.ts
*** Move to: src/b.ts
@@
-x
+y
*** Delete File: gone.ts
*** End Patch`;

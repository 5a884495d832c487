// Written by scripts/conformance-schema.mjs.
/** The release of the official SDK that the tables were made from. */
export const SCHEMA_VERSION = "2.4.0";
/** Digests of its schema files. The release does not name the commit of the schema. */
export const SCHEMA_DIGESTS = {
  1: "sha256:0d0b1ca83c4872e5473f68926a894c7a8203b59b118e2a79bfe43dd76fbcbc1a",
  2: "sha256:b6c91055df549d6f1db1d76d692d0561dad433e03d8ed114ea9b5baed9da72c5",
} as const;

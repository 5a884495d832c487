// Writes src/conformance/schema/tables from the schemas of the official SDK: only the parts that
// decide whether a value is valid, as one line of JSON per schema.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const folder = new URL("../src/conformance/schema/tables/", import.meta.url);
const IGNORED = new Set([
  "$schema",
  "contentEncoding",
  "default",
  "description",
  "discriminator",
  "examples",
  "format",
  "title",
]);

function text(file) {
  return readFileSync(require.resolve(`@agentclientprotocol/sdk/schema/${file}`), "utf8");
}

/** `isMap`: the keys are names of properties or definitions, so all of them stay. */
function stripped(value, isMap = false) {
  if (Array.isArray(value)) return value.map((item) => stripped(item));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key]) => isMap || (!IGNORED.has(key) && !key.startsWith("x-")),
  );
  return Object.fromEntries(
    kept.map(([key, part]) => [key, stripped(part, !isMap && isMapKey(key))]),
  );
}

function isMapKey(key) {
  return key === "properties" || key === "$defs";
}

function definitions(file) {
  return stripped(JSON.parse(text(file)))["$defs"];
}

/** The definitions that only the second schema has, or has in another form. */
function difference(stable, unstable) {
  return Object.fromEntries(
    Object.entries(unstable).filter(
      ([name, value]) => JSON.stringify(stable[name]) !== JSON.stringify(value),
    ),
  );
}

/** The first sentences about the properties of each definition. */
function descriptions(file) {
  const about = Object.entries(JSON.parse(text(file))["$defs"]).map(
    ([name, { properties = {} }]) => [
      name,
      Object.fromEntries(
        Object.entries(properties)
          .filter(([key, { description }]) => key !== "_meta" && description !== undefined)
          .map(([key, { description }]) => [key, firstSentence(description)]),
      ),
    ],
  );
  return Object.fromEntries(about.filter(([, fields]) => Object.keys(fields).length > 0));
}

/** Who sends each method, and the definitions of its params and result. */
function methods(file) {
  const senders = { agent: "client", client: "agent", protocol: "both" };
  const found = {};
  for (const [name, definition] of Object.entries(JSON.parse(text(file))["$defs"])) {
    const { "x-method": method, "x-side": receiver } = definition;
    // Proxies are not checked, and this notification goes against the direction of its request.
    if (senders[receiver] === undefined || name === "MessageMcpNotification") continue;
    const entry = (found[method] ??= { from: senders[receiver] });
    entry[name.endsWith("Response") ? "result" : "params"] = name;
  }
  return found;
}

function firstSentence(description) {
  const paragraph = description
    .split(/\n\s*\n/)[0]
    .replaceAll(/\s+/g, " ")
    .trim();
  const plain = paragraph.replaceAll(/\[(.*?)\]\(.*?\)/g, "$1").replaceAll("`", "");
  return /^.*?[.!?](?= [A-Z]|$)/.exec(plain)?.[0] ?? plain;
}

function table(name, comment, definitions) {
  const json = JSON.stringify(definitions).replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  return `/** ${comment} */\nexport const ${name}: string =\n  '${json}';\n`;
}

const { version } = JSON.parse(
  readFileSync(
    new URL("../node_modules/@agentclientprotocol/sdk/package.json", import.meta.url),
    "utf8",
  ),
);
const note = "// Written by scripts/conformance-schema.mjs.\n";
const hash = (file) => createHash("sha256").update(text(file)).digest("hex");

const stable = definitions("v1/schema.json");
const v2 = definitions("v2/schema.json");
const files = {
  "v1.ts": table("V1_DEFINITIONS", "The definitions of the stable schema of version 1.", stable),
  "v1-unstable.ts": table(
    "V1_UNSTABLE_DEFINITIONS",
    "The definitions of the unstable schema of version 1 that differ from the stable ones.",
    difference(stable, definitions("v1/schema.unstable.json")),
  ),
  "v2.ts": table("V2_DEFINITIONS", "The definitions of the schema of version 2.", v2),
  "v2-unstable.ts": table(
    "V2_UNSTABLE_DEFINITIONS",
    "The definitions of the unstable schema of version 2 that differ from the others.",
    difference(v2, definitions("v2/schema.unstable.json")),
  ),
  "descriptions.ts": [
    table(
      "V1_DESCRIPTIONS",
      "The first sentence about each property of version 1, by definition.",
      descriptions("v1/schema.unstable.json"),
    ),
    table(
      "V2_DESCRIPTIONS",
      "The first sentence about each property of version 2, by definition.",
      descriptions("v2/schema.unstable.json"),
    ),
  ].join(""),
  "methods.ts": [1, 2]
    .map((version) =>
      table(
        `V${version}_METHODS`,
        `The methods of version ${version}, those of its unstable schema included.`,
        methods(`v${version}/schema.unstable.json`),
      ),
    )
    .join(""),
  "origin.ts": [
    "/** The release of the official SDK that the tables were made from. */",
    `export const SCHEMA_VERSION = "${version}";`,
    "/** Digests of its schema files. The release does not name the commit of the schema. */",
    "export const SCHEMA_DIGESTS = {",
    `  1: "sha256:${hash("v1/schema.json")}",`,
    `  2: "sha256:${hash("v2/schema.json")}",`,
    "} as const;",
    "",
  ].join("\n"),
};

const isCheck = process.argv.includes("--check");
for (const [name, content] of Object.entries(files)) {
  const target = fileURLToPath(new URL(name, folder));
  const whole = note + content;
  if (!isCheck) writeFileSync(target, whole);
  else if (readFileSync(target, "utf8") !== whole) {
    process.stderr.write(`${name} is not current: run node scripts/conformance-schema.mjs\n`);
    process.exitCode = 1;
  }
}

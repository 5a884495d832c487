import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { npmClients } from "./clients.ts";

const rows = npmClients.map((client) => [client.name, client] as const);

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

it.each(rows)("%s is installed in the version that it names", (_name, { install, version }) => {
  const { dependencies }: { dependencies: unknown } = JSON.parse(
    read(`packages/${install?.folder}/package.json`),
  );
  expect(dependencies).toMatchObject({ [install?.package ?? ""]: version });
});

it.each(rows)("docs/interop.md lists %s with its version", (name, { source, version }) => {
  const lines = read("../../../docs/interop.md").split("\n");
  const cells = lines.map((line) => line.split("|").map((cell) => cell.trim()));
  expect(cells).toContainEqual(["", name, source, version, ""]);
});

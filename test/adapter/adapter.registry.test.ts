import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

interface Manifest {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly distribution: { readonly npx: { readonly package: string; readonly args: string[] } };
}

// The rules come from the schema of the public registry and from its checks.
describe("the manifest for the ACP registry", () => {
  it("meets the rules of the registry and names this package", () => {
    const manifest = JSON.parse(read("registry/droid-acp/agent.json")) as Manifest;
    const pkg = JSON.parse(read("package.json")) as Pick<Manifest, "name" | "version" | "license">;
    expect(manifest.id).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(manifest.id).toBe("droid-acp");
    expect(manifest.version).toBe(pkg.version);
    expect(manifest.license).toBe(pkg.license);
    expect(manifest.name).not.toBe("");
    expect(manifest.description).not.toBe("");
    expect(manifest.distribution).toEqual({
      npx: { package: `${pkg.name}@${pkg.version}`, args: ["droid-acp"] },
    });
    // The registry also allows repository, website and authors; the manifest leaves them out.
    expect(Object.keys(manifest).toSorted()).toEqual(
      ["id", "name", "version", "description", "license", "distribution"].toSorted(),
    );
    const icon = read("registry/droid-acp/icon.svg");
    const colours = [...icon.matchAll(/(?:fill|stroke)="([^"]*)"/g)].map(([, colour]) => colour);
    expect(colours.filter((colour) => colour !== "currentColor" && colour !== "none")).toEqual([]);
    expect(icon).toMatch(/width="16" height="16"/);
    expect(icon).toContain("currentColor");
  });
});

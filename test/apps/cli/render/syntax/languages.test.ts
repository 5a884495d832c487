import { describe, expect, it } from "vitest";
import {
  languageOfFile,
  loadedSyntax,
  loadSyntax,
} from "../../../../../src/apps/cli/render/syntax/languages.ts";
import { span } from "../../../../../src/apps/cli/render/terminal/spans.ts";

const SAMPLES: readonly (readonly [string, string])[] = [
  ["ts", 'export const a: number = 1; // "x"'],
  ["tsx", "const a = <b>c</b>;"],
  ["js", "let a = `b${c}`;"],
  ["json", '{ "a": [1, true] }'],
  ["py", "def f(x): # comment"],
  ["rb", "def f; 'x'; end"],
  ["rs", "fn main() { let x = 1; }"],
  ["go", 'func main() { fmt.Println("x") }'],
  ["c", "int main(void) { return 0; }"],
  ["cpp", "class A { int x; };"],
  ["cs", "public class A { }"],
  ["java", "public class A { }"],
  ["kt", "fun main() { val x = 1 }"],
  ["scala", "object A { val x = 1 }"],
  ["swift", "func f() -> Int { return 1 }"],
  ["dart", "void main() { var x = 1; }"],
  ["m", "@interface A : B"],
  ["sh", 'if true; then echo "x"; fi'],
  ["console", "echo 'x' # y"],
  ["ps1", 'Write-Host "x"'],
  ["yaml", "a: true # b"],
  ["toml", "a = 1 # b"],
  ["ini", "a=1"],
  ["sql", "SELECT 1 FROM t WHERE a = 'x'"],
  ["css", "a { color: red; }"],
  ["scss", "$a: 1px;"],
  ["less", "@a: 1px;"],
  ["html", '<a href="x">y</a>'],
  ["xml", '<a b="c"/>'],
  ["lua", "local x = 1 -- y"],
  ["pl", "my $x = 'y';"],
  ["hs", 'main = putStrLn "x"'],
  ["r", "x <- 1 # y"],
  ["jl", "function f() end"],
  ["dockerfile", "FROM node:20"],
  ["diff", "+added"],
  ["proto", "message A { int32 b = 1; }"],
  ["cmake", 'set(A "b")'],
  ["nginx", "server { listen 80; }"],
  ["clj", '(defn f [x] "y")'],
  ["ml", "let x = 1"],
  ["fs", "let x = 1"],
  ["erl", "f() -> 'x'."],
  ["groovy", "def x = 'y'"],
];

describe("the syntax of a language", () => {
  it.each(SAMPLES)(
    "is known by the name %s, has colors and loses nothing: %s",
    async (name, code) => {
      const line = (await loadSyntax(name))?.start().line(code) ?? [];
      expect(line.map(({ text }) => text).join("")).toBe(code);
      expect(line.some(({ styles }) => styles.length > 0)).toBe(true);
    },
  );
  it.each(["", "text", "nothing", "__proto__", "constructor", "toString"])(
    "is not known by the name %j",
    async (name) => {
      expect(await loadSyntax(name)).toBeUndefined();
      expect(loadedSyntax(name)).toBeUndefined();
    },
  );
  it("goes on from line to line", async () => {
    const state = (await loadSyntax("js"))?.start();
    state?.line("/* one");
    expect(state?.copy().line("two */ let x")).toEqual(state?.line("two */ let x"));
    expect((await loadSyntax("js"))?.start().line("two */ let x")[0]).not.toEqual(
      span("two */", "dim"),
    );
  });
  it("leaves very long lines without colors", async () => {
    const long = `let x = "${"y".repeat(3000)}";`;
    expect((await loadSyntax("js"))?.start().line(long)).toEqual([span(long)]);
  });
});

it.each([
  ["src/a.ts", "ts"],
  ["a.test.TSX", "tsx"],
  ["C:\\x\\a.py", "py"],
  ["/x/Dockerfile", "dockerfile"],
  ["/x.y/CMakeLists.txt", "cmake"],
])("the language of the file %s is %s", (path, name) => {
  expect(languageOfFile(path)).toBe(name);
});

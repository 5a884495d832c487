/** A section of a document with programs that all print the same text. */
export interface Recipe {
  readonly title: string;
  readonly programs: readonly string[];
  readonly output: string;
}

/** The sections of a Markdown document that have programs and a block with their output. */
export function recipesOf(markdown: string): readonly Recipe[] {
  return markdown.split(/^(?=#{2,3} )/m).flatMap((section): Recipe[] => {
    const [, title = ""] = /^#{2,3} (.*)$/m.exec(section) ?? [];
    const blocks = [...section.matchAll(/^```(\w+)\n([^]*?)^```$/gm)];
    const programs = blocks
      .filter(([, language]) => language === "ts")
      .map(([, , code = ""]) => code);
    const [, , output] = blocks.find(([, language]) => language === "text") ?? [];
    return output === undefined || programs.length === 0 ? [] : [{ title, programs, output }];
  });
}

/** The first program of the section with this title. Throws if there is none. */
export function programOf(markdown: string, title: string): string {
  const section = markdown.split(/^(?=## )/m).find((part) => part.startsWith(`## ${title}\n`));
  const [, code] = /^```ts\n([^]*?)^```$/m.exec(section ?? "") ?? [];
  if (code === undefined) throw new Error(`there is no program under "${title}"`);
  return code;
}

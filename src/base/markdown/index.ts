import {
  Lexer,
  type MarkedToken,
  type Token,
  Tokenizer,
  type Tokens,
  type TokensList,
} from "marked";

/** Deeper lists, quotes, emphasis and links stay plain text: parsing and drawing recurse. */
const MAX_DEPTH = 16;

/**
 * How many characters the parser may read for one source. It reads the text of each level again, and the
 * rest of the text for each mark that opens nothing, so the time could grow with the square of the length.
 */
const MAX_READ_CHARS = 256 * 1024;
/** A step of the inline parser takes about as long as reading this many characters. */
const STEP_CHARS = 100;

export type { MarkedToken, Token, Tokens };

/** The blocks of a source. What the parser cannot take, such as lists nested too deeply, stays as it is. */
export function parseBlocks(source: string, maxReadChars = MAX_READ_CHARS): readonly Token[] {
  try {
    return new BoundedLexer(new Effort(maxReadChars)).lex(source);
  } catch {
    return [asItIs(source)];
  }
}

/** The work for one source. */
class Effort {
  #depth = 0;
  #left: number;

  constructor(maxReadChars: number) {
    this.#left = maxReadChars;
  }

  get isOver(): boolean {
    return this.#left <= 0 || this.#depth >= MAX_DEPTH;
  }

  spend(chars: number): void {
    this.#left -= chars;
  }

  /** Parses one level below, or takes the text as it is. */
  deeper<Result>(source: string, parse: () => Result, otherwise: () => Result): Result {
    if (this.isOver) return otherwise();
    this.spend(source.length);
    this.#depth++;
    try {
      return parse();
    } finally {
      this.#depth--;
    }
  }
}

class BoundedLexer extends Lexer {
  readonly #effort: Effort;

  constructor(effort: Effort) {
    super({ gfm: true, tokenizer: new BoundedTokenizer(effort) });
    this.#effort = effort;
  }

  override blockTokens(source: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], isClipped?: boolean): Token[] {
    return this.#effort.deeper(
      source,
      () => super.blockTokens(source, tokens, isClipped),
      () => added(tokens, asItIs(source)),
    );
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    return this.#effort.deeper(
      source,
      () => super.inlineTokens(source, tokens),
      () => added(tokens, textAsItIs(source)),
    );
  }
}

class BoundedTokenizer extends Tokenizer {
  readonly #effort: Effort;

  constructor(effort: Effort) {
    super();
    this.#effort = effort;
  }

  /** The parser calls this itself for quotes in quotes, and again for each line that continues them. */
  override blockquote(source: string): Tokens.Blockquote | undefined {
    if (!/^ {0,3}>/.test(source)) return undefined;
    return this.#effort.deeper(
      source,
      () => super.blockquote(source),
      () => ({ type: "blockquote", raw: source, text: source, tokens: [asItIs(source)] }),
    );
  }

  override emStrong(
    source: string,
    masked: string,
    before?: string,
  ): Tokens.Em | Tokens.Strong | undefined {
    return this.#search(/^[*_]/, source, () => super.emStrong(source, masked, before));
  }

  override del(source: string, masked: string, before?: string): Tokens.Del | undefined {
    return this.#search(/^~/, source, () => super.del(source, masked, before));
  }

  override inlineText(source: string): Tokens.Text | undefined {
    if (this.#effort.isOver) return textAsItIs(source);
    this.#effort.spend(STEP_CHARS);
    return super.inlineText(source);
  }

  /** Looks for the end of what a mark may open. */
  #search<Found extends Token>(
    mark: RegExp,
    source: string,
    find: () => Found | undefined,
  ): Found | undefined {
    if (!mark.test(source) || this.#effort.isOver) return undefined;
    const found = find();
    this.#effort.spend(found?.raw.length ?? source.length);
    return found;
  }
}

function added(tokens: Token[], token: Token): Token[] {
  tokens.push(token);
  return tokens;
}

function asItIs(source: string): Tokens.HTML {
  return { type: "html", raw: source, pre: false, block: true, text: source };
}

function textAsItIs(source: string): Tokens.Text {
  return { type: "text", raw: source, text: source, escaped: false };
}

/** Extensions could add other tokens; there are none here. */
export function isMarkedToken(token: Token): token is MarkedToken {
  return KNOWN.has(token.type);
}

const KNOWN: ReadonlySet<string> = new Set<MarkedToken["type"]>([
  "blockquote",
  "br",
  "checkbox",
  "code",
  "codespan",
  "def",
  "del",
  "em",
  "escape",
  "heading",
  "hr",
  "html",
  "image",
  "link",
  "list",
  "list_item",
  "paragraph",
  "space",
  "strong",
  "table",
  "text",
]);

const NAMED: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  "#39": "'",
  nbsp: "\u00a0",
};

/** Text without the character references that the parser leaves for HTML. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(lt|gt|amp|quot|apos|#39|nbsp);/g,
    (all, name: string) => NAMED[name] ?? all,
  );
}

/** Addresses longer than this are cut off or ignored by terminals. */
const MAX_LINK_CHARS = 2000;
const SAFE_LINK = /^(?:https?|mailto):[\u0021-\u007e]+$/;

/**
 * An address that a click may open: of a web page or for mail, in printable ASCII only,
 * so that it cannot end a terminal sequence it is written into. Undefined for every other address.
 */
export function safeLink(href: string): string | undefined {
  try {
    const address = new URL(href).href;
    return address.length <= MAX_LINK_CHARS && SAFE_LINK.test(address) ? address : undefined;
  } catch {
    // `URL.canParse` of Node 20 says no to addresses outside ASCII once it has been optimized.
    return undefined;
  }
}

// Templates: html`…` describes a piece of the page, and `render` draws it and changes only the differences.
// Values become text, attributes, properties (`.value=`), switches (`?disabled=`) or listeners (`@click=`).
// Only the constant texts of templates are read as HTML.

/** Draws nothing. As the value of an attribute it removes the attribute. */
export const nothing = Symbol("nothing");

/** A piece of the page. A class, so that no JSON of an agent can pass for one. */
export class TemplateResult {
  readonly strings: TemplateStringsArray;
  readonly values: readonly unknown[];

  constructor(strings: TemplateStringsArray, values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }
}

/** The tag of a template. Names of properties and events are in lower case; `>` in an attribute is `&gt;`. */
export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): TemplateResult {
  return new TemplateResult(strings, values);
}

declare global {
  interface Window {
    readonly trustedTypes?: {
      createPolicy(
        name: string,
        rules: { readonly createHTML: (text: string) => string },
      ): { createHTML(text: string): string };
    };
  }
}

const policy = /* @__PURE__ */ window.trustedTypes?.createPolicy("dragoman", {
  createHTML: (text) => text,
});

/** Stands for a value. Agents cannot use it: their text never becomes part of a template. */
const MARK = "\u{e000}";
const ELEMENTS_AND_COMMENTS = 129;

/** Takes the next values of a template, from the one at `at`, and returns how many it took. */
type Taker = (values: readonly unknown[], at: number) => number;

/** Where values go: the number of a node in the order of the document, and the way to make its taker. */
interface Hole {
  readonly node: number;
  readonly make: (node: Node) => Taker;
}

interface Prepared {
  readonly content: DocumentFragment;
  readonly holes: readonly Hole[];
}

const prepared = new WeakMap<TemplateStringsArray, Prepared>();

function prepare(strings: TemplateStringsArray): Prepared {
  const known = prepared.get(strings);
  if (known) return known;
  const text = strings.reduce((before, next) =>
    before.lastIndexOf("<") > before.lastIndexOf(">")
      ? `${before}${MARK}${next}`
      : `${before}<!--${MARK}-->${next}`,
  );
  const template = document.createElement("template");
  template.innerHTML = policy?.createHTML(text) ?? text;
  const { content } = template;
  const holes: Hole[] = [];
  let number = 0;
  for (const node of nodesOf(content)) {
    if (node instanceof Element) {
      for (const { name, value } of [...node.attributes].filter((own) =>
        own.value.includes(MARK),
      )) {
        node.removeAttribute(name);
        holes.push({ node: number, make: attributeMaker(name, value.split(MARK)) });
      }
    } else if (node.nodeValue === MARK) holes.push({ node: number, make: childMaker });
    number++;
  }
  const result = { content, holes };
  prepared.set(strings, result);
  return result;
}

function* nodesOf(root: Node): Generator<Node> {
  const walker = document.createTreeWalker(root, ELEMENTS_AND_COMMENTS);
  while (walker.nextNode()) yield walker.currentNode;
}

const childMaker: Hole["make"] = (end) => {
  const start = document.createComment("");
  end.parentNode?.insertBefore(start, end);
  const part = new ChildPart(start, end);
  return (values, at) => {
    part.set(values[at]);
    return 1;
  };
};

function attributeMaker(name: string, texts: readonly string[]): Hole["make"] {
  return (node) => {
    if (!(node instanceof Element)) throw new TypeError("an attribute needs an element");
    const setValue = setterOf(node, name);
    const count = texts.length - 1;
    let last: unknown = nothing;
    return (values, at) => {
      const own = values.slice(at, at + count);
      const value = texts.join("") === "" ? own[0] : joined(texts, own);
      if (value !== last) setValue(value);
      last = value;
      return count;
    };
  };
}

function joined(texts: readonly string[], values: readonly unknown[]): unknown {
  if (values.includes(nothing)) return nothing;
  return texts.map((text, index) => text + textOf(values[index])).join("");
}

/** Objects have no text, so that nothing of them is drawn by mistake. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function setterOf(element: Element, attribute: string): (value: unknown) => void {
  const name = attribute.slice(1);
  switch (attribute[0]) {
    case ".":
      return (value) => Reflect.set(element, name, value);
    case "?":
      return (value) => element.toggleAttribute(name, value === true);
    case "@": {
      let listener: unknown;
      element.addEventListener(name, (event) => {
        if (typeof listener === "function") Reflect.apply(listener, element, [event]);
      });
      return (value) => {
        listener = value;
      };
    }
    default:
      return (value) =>
        value === nothing
          ? element.removeAttribute(attribute)
          : element.setAttribute(attribute, textOf(value));
  }
}

/** The place between two nodes, where a value is drawn. */
class ChildPart {
  readonly #start: Node;
  readonly #end: Node;
  #shown: unknown;
  /** The takers of the drawn template. */
  #takers: readonly Taker[] = [];
  /** The parts of the drawn list, each of which ends with a node of its own. */
  #parts: ChildPart[] = [];

  constructor(start: Node, end: Node) {
    this.#start = start;
    this.#end = end;
  }

  set(value: unknown): void {
    if (value instanceof TemplateResult) this.#setTemplate(value);
    else if (Array.isArray(value)) this.#setList(value);
    else if (value !== this.#shown) {
      this.#clear(value);
      if (value instanceof Node) this.#insert(value);
      else if (value !== nothing) this.#insert(document.createTextNode(textOf(value)));
    }
  }

  #setTemplate({ strings, values }: TemplateResult): void {
    if (strings !== this.#shown) {
      this.#clear(strings);
      const { content, holes } = prepare(strings);
      const copy = document.importNode(content, true);
      const nodes = [...nodesOf(copy)];
      this.#takers = holes.map(({ node, make }) => make(nodes[node] ?? copy));
      this.#take(values);
      this.#insert(copy);
    } else this.#take(values);
  }

  #take(values: readonly unknown[]): void {
    this.#takers.reduce((at, taker) => at + taker(values, at), 0);
  }

  #setList(values: readonly unknown[]): void {
    if (!Array.isArray(this.#shown)) this.#clear(values);
    this.#shown = values;
    for (const [index, value] of values.entries()) {
      let part = this.#parts[index];
      if (!part) {
        const end = document.createComment("");
        this.#insert(end);
        part = new ChildPart(this.#lastEnd, end);
        this.#parts.push(part);
      }
      part.set(value);
    }
    this.#parts.length = values.length;
    this.#removeAfter(this.#lastEnd);
  }

  /** The end of the last part of a list. */
  get #lastEnd(): Node {
    const last = this.#parts.at(-1);
    return last ? last.#end : this.#start;
  }

  #clear(shown: unknown): void {
    this.#removeAfter(this.#start);
    this.#shown = shown;
    this.#takers = [];
    this.#parts = [];
  }

  #removeAfter(node: Node): void {
    while (node.nextSibling && node.nextSibling !== this.#end) node.nextSibling.remove();
  }

  #insert(node: Node): void {
    this.#end.parentNode?.insertBefore(node, this.#end);
  }
}

const roots = new WeakMap<Element, ChildPart>();

/** Draws a value at the end of an element. Drawing again changes only the differences. */
export function render(value: unknown, element: Element): void {
  let part = roots.get(element);
  if (!part) {
    const nodes = [document.createComment(""), document.createComment("")] as const;
    element.append(...nodes);
    part = new ChildPart(...nodes);
    roots.set(element, part);
  }
  part.set(value);
}

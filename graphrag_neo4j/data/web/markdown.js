"use strict";
/* Markdown and the citations in it as elements, from the tokens of markdown-it. Texts of models and
   documents are untrusted: they become text nodes, HTML in them is shown as it is written, and in
   place of an image its description. */

const CITED = /\[\s*data\s*:[^[\]]*\]/gi;
const RECORDS = /(Entities|Relationships|Claims|Reports|Sources)\s*\(([^()]*)\)/g;
const FOLLOWED = /^(?:https?:\/\/|mailto:)/i; // the addresses that a link may have
const LETTER = /[\p{L}\p{N}]/u;
const DEEP = 60; // elements within one another; lists and quotes that are deeper are left out

// The same Markdown as in evaluate/statements.py, except that hyphens below a line don't make it a
// heading: a list that is still being written begins with one.
const parser = markdownit("commonmark", { html: false, maxNesting: DEEP }).enable("table").disable(["code", "reference", "lheading", "autolink"]);
parser.validateLink = () => true; // `fill` decides on links, and only the text of an image is shown
parser.inline.ruler.before("link", "citation", (state, silent) => {
  const { first } = state.env;
  first.lastIndex = state.pos;
  const [found] = first.exec(state.src) ?? [];
  if (!found) return false;
  state.pos += found.length;
  if (!silent) state.push("citation", "", 0).content = found;
  return true;
});
// In CommonMark, stars after a bracket don't end bold type if a letter follows. In Chinese and
// Japanese one does, since there are no spaces.
parser.inline.State = class extends parser.inline.State {
  scanDelims(start, splits) {
    const found = super.scanDelims(start, splits), filled = (character) => /\S/.test(character ?? "");
    if (this.src[start] !== "*") return found;
    return { ...found, can_open: filled(this.src[start + found.length]), can_close: filled(this.src[start - 1]) };
  }
};

/* Draws Markdown. `mark` makes the nodes of a citation. It gets the text of the citation, the words that
   it is for, and what is written since the citation before it. `others` are citations that aren't
   written as ours, and `heading` is the level of the highest headings. */
class Markdown {
  constructor(mark, { others = [], heading = 3 } = {}) {
    const literal = others.toSorted((a, b) => b.length - a.length).map((one) => one.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
    const forms = [CITED.source, ...literal].join("|");
    Object.assign(this, { mark, heading, first: new RegExp(forms, "iy"), each: others.length ? new RegExp(`(${forms})`, "i") : null, since: "", said: "" });
  }

  /* The blocks of a text. */
  blocks(text) {
    return this.fill(document.createDocumentFragment(), this.tokens(text));
  }

  /* A text of one line in an element. */
  line(text, element) {
    return this.fill(element, parser.parseInline(text, this));
  }

  /* Returns a function that shows a growing text in `place`. It draws only the last block anew. Once the
     first line of this block is complete, nothing that follows changes the blocks before it. */
  growing(place) {
    let closed = 0, from = 0; // blocks, and where the text after them begins
    return (written) => {
      const text = written.replace(/\r\n?/g, "\n"), rest = text.slice(from), tokens = this.tokens(rest), complete = rest.split("\n").length - 1;
      while (place.childNodes.length > closed) place.lastChild.remove();
      place.append(this.fill(document.createDocumentFragment(), tokens));
      const begun = tokens.filter(({ level, nesting, map }) => level === 0 && nesting >= 0 && map[0] < complete);
      if (begun.length < 2) return;
      closed += begun.length - 1;
      for (let line = begun.at(-1).map[0]; line; line--) from = text.indexOf("\n", from) + 1;
    };
  }

  tokens(text) {
    return parser.parse(text.replace(/^([ \t]*)• /gm, "$1- "), this);
  }

  fill(parent, tokens) {
    let depth = 0; // of open elements; deeper ones than DEEP are left out, since the parser limits blocks only
    for (const token of tokens) {
      const { type, tag, nesting, content, children, hidden, block } = token, href = token.attrGet("href"), start = token.attrGet("start");
      if (block && nesting < 0) this.since += "\n";
      if (hidden) continue; // the paragraphs of a list without blank lines
      if (type === "inline" || type === "image") this.fill(parent, children);
      else if (type === "text") this.write(parent, content);
      else if (type === "citation") this.cite(parent, content);
      else if (type === "softbreak" && !parent.closest("li, blockquote")) this.write(parent, "\n");
      else if (type === "fence") parent.append(make("pre", {}, make("code", {}, content)));
      else if (nesting < 0) parent = depth-- > DEEP ? parent : parent.parentNode;
      else if (nesting > 0 && ++depth > DEEP) continue;
      else if (href !== null) parent = parent.appendChild(FOLLOWED.test(href) ? make("a", { href, rel: "noopener noreferrer", target: "_blank" }) : make("span", { title: href }));
      else if (type === "heading_open") parent = parent.appendChild(make(`h${this.heading + (tag > "h2")}`));
      else if (nesting > 0) parent = parent.appendChild(make(tag, start ? { start } : {}));
      else {
        parent.append(make(tag, {}, content || null)); // code, a break, a rule
        this.since += content || "\n";
      }
    }
    return parent;
  }

  /* Appends a text. The parser can't find a citation in it that begins like a word. */
  write(parent, text) {
    (this.each ? text.split(this.each) : [text]).forEach((piece, n) => {
      if (n % 2) return this.cite(parent, piece);
      this.since += piece;
      if (piece) parent.append(piece);
    });
  }

  cite(parent, text) {
    const { since } = this, before = parent.lastChild;
    if (before?.nodeType === Node.TEXT_NODE) before.data = before.data.trimEnd();
    if (LETTER.test(since)) this.said = since;
    this.since = "";
    parent.append(...this.mark(text, this.said, since));
  }
}

/* The records that a citation names, as [kind, ref]. */
function citations(text) {
  return [...text.matchAll(RECORDS)].flatMap(([, kind, refs]) => (refs.match(/\d+/g) ?? []).map((ref) => [kind, Number(ref)]));
}

/* The block that holds a mark. */
function blockOf(mark) {
  return mark.closest("table, li, p, h3, h4, h5");
}

/* Shows what a mark leads to below the text of its block. */
function showBelow(mark, shown) {
  const block = blockOf(mark);
  if (block.localName === "li") block.insertBefore(shown, block.querySelector(":scope > :is(ul, ol)"));
  else block.after(shown);
}

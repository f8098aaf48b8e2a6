"use strict";
/* Draws an answer. Its text is untrusted: it only ever becomes text nodes, and no link is made. */

function element(tag, text, properties) {
  const made = Object.assign(document.createElement(tag), properties);
  if (text !== undefined) made.textContent = text;
  return made;
}

const OURS = String.raw`\[Data:[^\]]*\]`;

/* The records that a citation names: "[Data: Reports (3, 5)]" gives "Reports 3" and "Reports 5". A
   citation of another form, such as "[1]", names itself. */
function recordsOf(citation) {
  if (!new RegExp(`^${OURS}$`, "i").test(citation)) return [citation];
  const parts = [...citation.matchAll(/([\p{L}]+)\s*\(([^)]*)\)/gu)];
  const found = parts.flatMap(([, kind, refs]) => (refs.match(/\d+/g) ?? []).map((ref) => `${kind} ${ref}`));
  return found.length ? found : [citation];
}

/* The sources of an answer by the record that its text cites. */
function sourcesOf(answer) {
  const found = new Map();
  for (const source of answer.sources) {
    for (const name of recordsOf(source[0])) found.set(name, [...(found.get(name) ?? []), source]);
  }
  return found;
}

function citationsIn(answer) {
  const named = [...answer.sources.map(([citation]) => citation), ...answer.dead];
  const others = named.filter((one) => one && recordsOf(one)[0] === one).sort((a, b) => b.length - a.length);
  const literal = [...new Set(others)].map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`(${[OURS, ...literal].join("|")})`, "gi");
}

/* Headings, lists and paragraphs of Markdown; anything else is shown as it was written. */
function drawAnswer(answer, world) {
  const drawn = document.createDocumentFragment();
  const context = { sources: sourcesOf(answer), pattern: citationsIn(answer), world };
  let block = null;
  for (const line of answer.text.split("\n")) {
    const heading = /^#{1,6}\s+(.*)/.exec(line);
    const item = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)/.exec(line);
    if (!line.trim()) block = null;
    else if (heading) {
      drawn.append(filled(element("h4"), heading[1], context));
      block = null;
    } else if (item) {
      const kind = item[1] ? "OL" : "UL";
      if (block?.tagName !== kind) drawn.append((block = element(kind)));
      const made = element("li");
      if (item[1]) made.value = Number(item[1]);
      block.append(filled(made, item[2], context));
    } else {
      if (block?.tagName !== "P") drawn.append((block = element("p")));
      else block.append(" ");
      filled(block, line, context);
    }
  }
  return drawn;
}

function filled(block, text, context) {
  text.split(context.pattern).forEach((piece, n) => {
    if (n % 2) for (const name of recordsOf(piece)) block.append(cite(name, block, context));
    else block.append(...emphasized(piece));
  });
  return block;
}

function emphasized(text) {
  return text.split(/(\*\*[^*]+\*\*)/).map((piece, n) => (n % 2 ? element("strong", piece.slice(2, -2)) : piece));
}

function cite(name, block, { sources, world }) {
  const found = sources.get(name);
  if (!found) return element("span", name, { className: "dead", title: "This citation leads to no text." });
  return opener(name, () => block.after(evidence(found, world)), () => block.nextElementSibling.remove(), block);
}

/* A button that shows what it stands for, and hides it again. A block shows one thing at a time. */
function opener(name, show, hide, block) {
  const button = element("button", name, { className: "cite", type: "button", ariaExpanded: "false" });
  button.addEventListener("click", () => {
    const open = block.querySelector('button.cite[aria-expanded="true"]');
    if (open) {
      hide();
      open.ariaExpanded = "false";
    }
    if (open !== button) {
      show();
      button.ariaExpanded = "true";
    }
  });
  return button;
}

function evidence(sources, world) {
  const box = element("aside");
  for (const [, passage, quote] of sources) {
    const [source, text] = world.passages[passage];
    const at = quote ? text.indexOf(quote) : -1;
    box.append(element("b", source));
    if (at < 0) box.append(text || "The record holds no text of this passage.");
    else box.append(text.slice(0, at), element("mark", quote), text.slice(at + quote.length));
  }
  return box;
}

"use strict";
/* Draws an answer, and the texts that its citations lead to. */

const opened = new WeakMap(); // of a block, the button that is open in it, and what this shows

/* The records that a citation names: "[Data: Reports (3, 5)]" gives "Reports 3" and "Reports 5". A
   citation of another form, such as "[1]", names itself. */
function recordsOf(citation) {
  const found = citation.match(CITED)?.[0] === citation ? citations(citation) : [];
  return found.length ? found.map((record) => record.join(" ")) : [citation];
}

/* The sources of an answer by the record that its text cites. */
function sourcesOf(answer) {
  const found = new Map();
  for (const source of answer.sources) {
    for (const name of recordsOf(source[0])) found.set(name, [...(found.get(name) ?? []), source]);
  }
  return found;
}

function drawAnswer(answer, world) {
  const sources = sourcesOf(answer), named = [...answer.sources.map(([citation]) => citation), ...answer.dead];
  const mark = (citation) => [" ", ...recordsOf(citation).map((name) => cite(name, sources.get(name), world))];
  return new Markdown(mark, { others: named.filter((one) => one && recordsOf(one)[0] === one), heading: 4 }).blocks(answer.text);
}

function cite(name, sources, world) {
  if (!sources) return make("span", { class: "dead", title: "This citation leads to no text." }, name);
  return opener(name, sources, world);
}

/* A button that shows texts, and hides them again. A block shows one thing at a time. */
function opener(name, sources, world) {
  const button = make("button", { class: "cite", type: "button", ariaExpanded: "false" }, name);
  button.onclick = () => {
    const block = blockOf(button), [open, box] = opened.get(block) ?? [];
    if (open) {
      box.remove();
      open.ariaExpanded = "false";
      opened.delete(block);
    }
    if (open !== button) {
      opened.set(block, [button, evidence(sources, world)]);
      showBelow(...opened.get(block));
      button.ariaExpanded = "true";
    }
  };
  return button;
}

function evidence(sources, world) {
  const box = make("aside");
  for (const [, passage, quote] of sources) {
    const [source, text] = world.passages[passage];
    const at = quote ? text.indexOf(quote) : -1;
    box.append(make("b", {}, source));
    if (at < 0) box.append(text || "The record holds no text of this passage.");
    else box.append(text.slice(0, at), make("mark", {}, quote), text.slice(at + quote.length));
  }
  return box;
}

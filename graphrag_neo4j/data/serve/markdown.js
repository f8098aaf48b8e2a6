"use strict";
/* Markdown of an answer as elements. Text of models and documents never becomes HTML, and no link of
   theirs can be followed. `mark` makes an element of a bracket with citations. */

const BLOCKS = /^(?:(#{1,6}) +(.*)|(\s*)(?:[-*•]|(\d+)[.)]) +(.*)|> ?(.*)|(```|~~~).*|(\|.*\|)\s*|(\s*))$/;
const SPANS = /(`+)(.+?)\1|\*\*(?=\S)(.+?)\*\*|(?<![\p{L}\p{N}*])[*_](?=\S)([^*_]+?)[*_](?![\p{L}\p{N}*])|(\s*\[\s*data\s*:[^\[\]]*\])/giu;

function markdown(text, mark) {
  const body = document.createDocumentFragment(), lists = [];
  let lines = null, code = null, table = null, quoted = null;
  const fill = (element, words) => { element.append(...spans(words, mark)); return element; };
  const block = (element) => {
    [lines, table, quoted] = [null, null, null];
    lists.length = 0;
    body.append(element);
    return element;
  };
  for (const line of text.split("\n")) {
    const [, hashes, title, indent, number, item, quote, fence, row, blank] = line.match(BLOCKS) ?? [];
    if (code) {
      if (fence) code = null;
      else code.append(`${line}\n`);
    } else if (fence) {
      code = block(make("pre")).appendChild(make("code"));
    } else if (hashes) {
      fill(block(make(hashes.length < 3 ? "h3" : "h4")), title);
    } else if (item !== undefined) {
      [table, quoted] = [null, null];
      lines = fill(make("li"), item);
      listAt(lists, indent.length, number ? "ol" : "ul", body).append(lines);
    } else if (quote !== undefined) {
      quoted ??= block(make("blockquote"));
      fill(quoted.appendChild(make("div")), quote);
    } else if (row) {
      if (!table) table = block(make("table"));
      const cells = row.trim().slice(1, -1).split("|").map((cell) => cell.trim());
      const head = !table.children.length;
      if (!cells.every((cell) => /^:?-+:?$/.test(cell))) table.append(make("tr", {}, cells.map((cell) => fill(make(head ? "th" : "td"), cell))));
    } else if (blank !== undefined) {
      [lines, table, quoted] = [null, null, null];
    } else if (lines) {
      lines.append(lines.tagName === "LI" ? make("br") : " ", ...spans(line.trim(), mark));
    } else {
      lines = fill(block(make("p")), line);
    }
  }
  return body;
}

/* The list for an item with this indent: an open one, a new one in the last item, or a new one. */
function listAt(lists, indent, kind, body) {
  while (lists.length && lists.at(-1).indent > indent) lists.pop();
  const last = lists.at(-1);
  if (last?.indent === indent && last.list.tagName.toLowerCase() === kind) return last.list;
  const list = make(kind);
  if (last && last.indent < indent) last.list.lastElementChild.append(list);
  else [lists.length] = [0, body.append(list)];
  lists.push({ indent, list });
  return list;
}

function spans(text, mark) {
  const found = [];
  let done = 0;
  for (const span of text.matchAll(SPANS)) {
    const [all, , code, strong, soft, cited] = span;
    found.push(text.slice(done, span.index));
    done = span.index + all.length;
    if (code) found.push(make("code", {}, code));
    else if (cited) found.push(...mark(cited, text.slice(0, span.index)));
    else found.push(make(strong ? "strong" : "em", {}, spans(strong ?? soft, mark)));
  }
  return [...found, text.slice(done)];
}

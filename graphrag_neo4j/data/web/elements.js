"use strict";
/* Makes elements. A text among the children becomes a text node, never HTML. */

function make(name, properties = {}, ...children) {
  const { class: kind, ...rest } = properties;
  const element = Object.assign(document.createElement(name), rest);
  if (kind) element.className = kind;
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

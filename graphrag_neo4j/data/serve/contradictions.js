"use strict";
/* What documents say differently of one thing, each statement with its date and its place. */

const DIFFERENT = { date: "another date", number: "another number", name: "another name", role: "another role", denied: "denied", other: "another statement" };

views.contradictions = async () => {
  const found = await read("api/contradictions");
  const said = ({ text, date, source }) => {
    const [start, end] = source.quote ?? [source.start, source.start];
    const place = make("a", { href: `#source-${source.chunk}-${start}-${end}` }, [source.place, date].filter(Boolean).join(", "));
    return make("blockquote", {}, make("div", { dir: "auto" }, text), make("footer", {}, place));
  };
  return [
    make("h2", { tabIndex: -1 }, "What documents say differently"),
    make("p", { class: "facts" }, found.length ? "Pairs of statements that seem to contradict each other, the most likely first." : "No two statements were found that seem to contradict each other."),
    ...found.map((one) => make("section", {}, make("h3", { class: "part", dir: "auto" }, `${one.entity}: ${DIFFERENT[one.kind]}`), one.statements.map(said))),
  ];
};

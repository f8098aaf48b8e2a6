"use strict";
/* A comparison: two answers to a question side by side, and the verdicts on them. */

const ROW = 5; // numbers of a verdict: metric, judge, repeat, winner, reason
const LABELS = ["tie", "one", "other", "missing"];

/* Where the verdicts begin that the filters let through, in the numbers of a comparison. */
function chosenRows(rows, metric, judge) {
  const found = [];
  for (let n = 0; n < rows.length; n += ROW) {
    if ((metric === "" || rows[n] === +metric) && (judge === "" || rows[n + 1] === +judge)) found.push(n);
  }
  return found;
}

/* Who won a verdict: the winner is the first or second answer as the judge saw them. */
function labelOf(code) {
  const winner = code % 10;
  const swapped = code >= 10 && (winner === 1 || winner === 2);
  return LABELS[swapped ? 3 - winner : winner];
}

function tallyOf(rows, chosen) {
  const tally = { one: 0, other: 0, tie: 0, missing: 0 };
  for (const n of chosen) tally[labelOf(rows[n + 3])] += 1;
  return tally;
}

/* The verdicts of a comparison as objects, by judge, metric and repeat. */
function verdictsOf([one, other, rows], chosen, world) {
  const key = (n) => [rows[n + 1], rows[n], rows[n + 2], rows[n + 3]];
  return chosen.toSorted((a, b) => compared(key(a), key(b))).map((n) => ({
    metric: world.metrics[rows[n]][0],
    judge: world.judges[rows[n + 1]],
    repeat: rows[n + 2],
    first: nameOf(rows[n + 3] >= 10 ? other : one, world),
    winner: { one: nameOf(one, world), other: nameOf(other, world) }[labelOf(rows[n + 3])] ?? labelOf(rows[n + 3]),
    reason: world.reasons[rows[n + 4]],
  }));
}

/* Compares two lists of the same length, value by value. */
function compared(one, other) {
  const n = one.findIndex((value, place) => value !== other[place]);
  return n < 0 ? 0 : one[n] - other[n];
}

function nameOf(answer, world) {
  return world.conditions[world.answers[answer].condition];
}

function tallyText([one, other], tally, world) {
  const wins = (n) => `${n.toLocaleString("en")} ${n === 1 ? "win" : "wins"}`;
  const said = [`${nameOf(one, world)}: ${wins(tally.one)}`, `${nameOf(other, world)}: ${wins(tally.other)}`];
  if (tally.tie) said.push(`${tally.tie} ${tally.tie === 1 ? "tie" : "ties"}`);
  if (tally.missing) said.push(`${tally.missing} missing`);
  return said.join(" · ");
}

function drawComparison(comparison, chosen, world) {
  const box = make("div", { class: "opened" });
  const question = world.questions[world.answers[comparison[0]].question];
  if (question[1]) box.append(make("p", { class: "note" }, `Persona: ${question[1]}`));
  if (question[2]) box.append(make("p", { class: "note" }, `Task: ${question[2]}`));
  const sides = make("div", { class: "sides" });
  sides.append(side(comparison[0], world), side(comparison[1], world));
  box.append(sides, make("h4", {}, "Verdicts"), verdictTable(verdictsOf(comparison, chosen, world)));
  return box;
}

function side(place, world) {
  const answer = world.answers[place];
  const article = make("article");
  article.append(make("h4", { class: "name" }, nameOf(place, world)), make("div", { class: "prose" }, drawAnswer(answer, world)));
  if (answer.sources.length) article.append(allSources(answer, world));
  return article;
}

function allSources(answer, world) {
  const box = make("details");
  const list = make("ul");
  for (const source of answer.sources) {
    list.append(make("li", {}, opener(`${source[0]} ${world.passages[source[1]][0]}`.trim(), [source], world)));
  }
  box.append(make("summary", {}, `All texts that this answer cites (${answer.sources.length})`), list);
  return box;
}

function verdictTable(verdicts) {
  if (!verdicts.length) return make("p", { class: "empty" }, "There is no verdict on these two answers.");
  const table = make("table");
  const head = table.createTHead().insertRow();
  for (const name of ["metric", "winner", "reason", "judge", "repeat", "shown first"]) {
    head.append(make("th", { scope: "col" }, name));
  }
  const body = table.createTBody();
  for (const one of verdicts) {
    const row = body.insertRow();
    for (const value of [one.metric, one.winner, one.reason, one.judge, one.repeat, one.first]) {
      row.append(make("td", {}, value));
    }
  }
  const wide = make("div", { class: "wide", tabIndex: 0, role: "region", ariaLabel: "Verdicts" });
  wide.append(table);
  return wide;
}

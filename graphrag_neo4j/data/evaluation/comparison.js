"use strict";
/* A comparison: two answers to a question side by side, and the verdicts on them. */

/* The verdicts of a comparison that the filters let through, as objects. */
function verdictsOf([one, other, rows], world, metric, judge) {
  const found = [];
  for (let n = 0; n < rows.length; n += 5) {
    if ((metric !== "" && rows[n] !== Number(metric)) || (judge !== "" && rows[n + 1] !== Number(judge))) continue;
    const swapped = rows[n + 3] >= 10;
    const shown = swapped ? [other, one] : [one, other];
    const winner = rows[n + 3] % 10;
    found.push({
      metric: world.metrics[rows[n]][0],
      judge: world.judges[rows[n + 1]],
      repeat: rows[n + 2],
      first: nameOf(shown[0], world),
      winner: ["tie", nameOf(shown[0], world), nameOf(shown[1], world), "missing"][winner],
      label: ["tie", shown[0] === one ? "one" : "other", shown[1] === one ? "one" : "other", "missing"][winner],
      reason: world.reasons[rows[n + 4]],
    });
  }
  return found;
}

function nameOf(answer, world) {
  return world.conditions[world.answers[answer].condition];
}

function tallyOf(verdicts) {
  const tally = { one: 0, other: 0, tie: 0, missing: 0 };
  for (const { label } of verdicts) tally[label] += 1;
  return tally;
}

function tallyText([one, other], tally, world) {
  const wins = (n) => `${n.toLocaleString("en")} ${n === 1 ? "win" : "wins"}`;
  const said = [`${nameOf(one, world)}: ${wins(tally.one)}`, `${nameOf(other, world)}: ${wins(tally.other)}`];
  if (tally.tie) said.push(`${tally.tie} ${tally.tie === 1 ? "tie" : "ties"}`);
  if (tally.missing) said.push(`${tally.missing} missing`);
  return said.join(" · ");
}

function drawComparison(comparison, verdicts, world) {
  const box = element("div", undefined, { className: "opened" });
  const question = world.questions[world.answers[comparison[0]].question];
  if (question[1]) box.append(element("p", `Persona: ${question[1]}`, { className: "note" }));
  if (question[2]) box.append(element("p", `Task: ${question[2]}`, { className: "note" }));
  const sides = element("div", undefined, { className: "sides" });
  sides.append(side(comparison[0], world), side(comparison[1], world));
  box.append(sides, element("h4", "Verdicts"), verdictTable(verdicts));
  return box;
}

function side(place, world) {
  const answer = world.answers[place];
  const article = element("article");
  article.append(element("h4", nameOf(place, world), { className: "name" }), drawAnswer(answer, world));
  if (answer.sources.length) article.append(allSources(answer, world));
  return article;
}

function allSources(answer, world) {
  const box = element("details");
  const list = element("ul");
  for (const source of answer.sources) {
    const item = element("li");
    const name = `${source[0]} ${world.passages[source[1]][0]}`.trim();
    item.append(opener(name, () => item.append(evidence([source], world)), () => item.lastChild.remove(), item));
    list.append(item);
  }
  box.append(element("summary", `All texts that this answer cites (${answer.sources.length})`), list);
  return box;
}

function verdictTable(verdicts) {
  if (!verdicts.length) return element("p", "There is no verdict on these two answers.", { className: "empty" });
  const table = element("table");
  const head = table.createTHead().insertRow();
  for (const name of ["metric", "winner", "reason", "judge", "repeat", "shown first"]) {
    head.append(element("th", name, { scope: "col" }));
  }
  const body = table.createTBody();
  for (const one of verdicts) {
    const row = body.insertRow();
    for (const value of [one.metric, one.winner, one.reason, one.judge, one.repeat, one.first]) {
      row.append(element("td", value));
    }
  }
  const wide = element("div", undefined, { className: "wide", tabIndex: 0, role: "region", ariaLabel: "Verdicts" });
  wide.append(table);
  return wide;
}

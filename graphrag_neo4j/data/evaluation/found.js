"use strict";
/* Says in words what the tests of the win rates have found: a sentence or two for each pair of
   conditions. */

// How an answer is that wins a metric.
const BETTER = {
  comprehensiveness: "more comprehensively", diversity: "with more variety",
  empowerment: "more helpfully", directness: "more directly",
};
const COARSE = 20; // points from 50; if only a larger difference would be found, the questions are few

/* A row of the table of tests, as far as it is needed here. */
function testOf([metric, one, other, rate, , , p, differ, , questions, equal, , smallest]) {
  return { metric, one, other, rate, p, differs: differ === "yes" && rate !== 50, questions, equal, smallest };
}

/* The sentences on each judge: `tests` holds the rows of the table of tests by judge. */
function drawFound({ tests, judges }) {
  const drawn = tests.flatMap((rows, n) => {
    const pairs = [...Map.groupBy(rows.map(testOf), ({ one, other }) => JSON.stringify([one, other])).values()];
    if (!pairs.length) return [];
    const list = make("ul");
    const [clear, same] = [true, false].map((differ) => pairs.filter((pair) => pair.some(({ differs }) => differs) === differ));
    list.append(...clear.map((pair) => make("li", {}, differing(pair))), ...same.map((pair) => make("li", { class: "same" }, equal(pair))));
    return tests.length > 1 ? [make("h3", {}, `Judged by ${judges[n]}`), list] : [list];
  });
  if (!drawn.length) return [];
  return [...drawn, make("p", { class: "note" }, "The percentage is the win rate; a tie counts as half a win. p is the probability of such a difference by chance, adjusted for the number of pairs.")];
}

/* What the tests of a pair say if one of them finds a difference. */
function differing(tests) {
  const [{ one, other }] = tests, differ = tests.filter(({ differs }) => differs), same = tests.filter(({ differs }) => !differs);
  const won = winning(one, other, differ.filter(({ rate }) => rate > 50)), lost = winning(other, one, differ.filter(({ rate }) => rate < 50));
  const [first, ...more] = [won, lost].filter(Boolean);
  if (same.length) more.push(`No difference found in ${listed(same.map(({ metric }) => metric))}`);
  return [`${first}, ${questionsOf(tests)}`, ...more, ""].join(". ").trim();
}

function winning(one, other, tests) {
  if (!tests.length) return "";
  const found = ({ rate, p }) => `${Math.round(Math.max(rate, 100 - rate))} %, ${shownP(p)}`;
  if (tests.length === 1) return `${one} answers ${BETTER[tests[0].metric]} than ${other}: ${found(tests[0])}`;
  return `${one} answers ${listed(tests.map((test) => `${BETTER[test.metric]} (${found(test)})`))} than ${other}`;
}

/* What the tests of a pair say if none of them finds a difference. */
function equal(tests) {
  const [{ one, other }] = tests, metrics = tests.map(({ metric }) => metric);
  const where = metrics.length === Object.keys(BETTER).length ? `any of the ${metrics.length} metrics` : listed(metrics);
  return `No difference found between ${one} and ${other} in ${where}; ${power(tests, questionsOf(tests))}.`;
}

/* What the questions would have shown if there were a difference. */
function power(tests, asked) {
  const verb = asked === "1 question" ? "is" : "are";
  if (tests.every(({ equal, questions }) => equal === questions && questions >= 10)) return `they are equal on all ${asked}`;
  const smallest = tests.map(({ smallest }) => smallest ?? Infinity);
  if (Math.max(...smallest) > COARSE) return `${asked} ${verb} too few to tell`;
  return `with ${asked}, a win rate of ${Math.ceil(50 + Math.max(...smallest))} % or more would mostly have been found`;
}

function questionsOf(tests) {
  const [least, most] = [Math.min, Math.max].map((of) => of(...tests.map(({ questions }) => questions)));
  return `${least === most ? "" : `${least} to `}${most} ${most === 1 ? "question" : "questions"}`;
}

function shownP(p) {
  return p < 0.001 ? "p < .001" : `p = ${p.toFixed(3).replace(/^0/, "")}`;
}

function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

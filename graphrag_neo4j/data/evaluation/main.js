"use strict";
/* Unpacks the data, says what was found, fills the filters, and lists the comparisons that they let
   through. */

const STEP = 30; // comparisons that are listed at a time
const FILTERS = ["question", "persona", "condition", "against", "metric", "judge", "winner", "search"];
const find = (id) => document.getElementById(id);

async function unpack() {
  const packed = atob(find("data").textContent);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const text = await new Response(inflated).text();
  const world = JSON.parse(text);
  world.answers = world.answers.map(([question, condition, text, sources, dead]) => ({
    question, condition, text, sources, dead,
  }));
  return world;
}

function fill(id, names, any) {
  find(id).append(make("option", { value: "" }, any));
  for (const [value, name] of names) find(id).append(make("option", { value }, name));
}

function fillFilters(world) {
  const numbered = (names) => names.map((name, n) => [n, name]);
  const personas = [...new Set(world.questions.map(([, persona]) => persona))].filter(Boolean);
  const answering = new Set(world.answers.map(({ condition }) => condition));
  const conditions = numbered(world.conditions).filter(([n]) => answering.has(n));
  fill("question", numbered(world.questions.map(([text]) => text)), "all");
  fill("persona", personas.map((name) => [name, name]), "all");
  fill("condition", conditions, "all");
  fill("against", conditions, "all");
  fill("metric", numbered(world.metrics.map(([name]) => name)), "all");
  fill("judge", numbered(world.judges), "all");
  const more = [["tie", "as many wins on both sides"], ["both", "both have a win"], ["missing", "a verdict is missing"]];
  fill("winner", [...conditions.map(([n, name]) => [n, `${name} has more wins`]), ...more], "all");
}

function chosen() {
  return Object.fromEntries(FILTERS.map((id) => [id, find(id).value]));
}

function fits(comparison, world, by, words) {
  const sides = [world.answers[comparison[0]], world.answers[comparison[1]]];
  const question = world.questions[sides[0].question];
  if (by.question !== "" && sides[0].question !== Number(by.question)) return false;
  if (by.persona !== "" && question[1] !== by.persona) return false;
  const names = sides.map(({ condition }) => String(condition));
  if (by.condition !== "" && !names.includes(by.condition)) return false;
  if (by.against !== "" && (!names.includes(by.against) || by.against === by.condition)) return false;
  const texts = () => [question[0], sides[0].text, sides[1].text];
  return !words || texts().some((text) => text.toLowerCase().includes(words));
}

function wins(tally, names, winner) {
  if (winner === "") return true;
  if (winner === "missing") return tally.missing > 0;
  if (winner === "both") return tally.one > 0 && tally.other > 0;
  if (winner === "tie") return tally.one === tally.other && tally.one + tally.tie > 0;
  const leader = tally.one > tally.other ? names[0] : tally.other > tally.one ? names[1] : null;
  return leader === Number(winner);
}

/* The comparisons that the filters let through, each with its rows of verdicts. */
function filtered(world, by) {
  const words = by.search.trim().toLowerCase();
  const found = [];
  for (const comparison of world.comparisons) {
    if (!fits(comparison, world, by, words)) continue;
    const rows = chosenRows(comparison[2], by.metric, by.judge);
    if ((by.metric !== "" || by.judge !== "") && !rows.length) continue;
    const names = [world.answers[comparison[0]].condition, world.answers[comparison[1]].condition];
    if (wins(tallyOf(comparison[2], rows), names, by.winner)) found.push([comparison, rows]);
  }
  return found;
}

function entry([comparison, rows], world) {
  const item = make("li");
  const button = make("button", { class: "open", type: "button", ariaExpanded: "false" });
  const question = world.questions[world.answers[comparison[0]].question][0];
  const tally = tallyText(comparison, tallyOf(comparison[2], rows), world);
  button.append(make("span", {}, question), make("span", { class: "tally" }, tally));
  button.addEventListener("click", () => {
    const open = button.ariaExpanded === "true";
    if (open) item.lastChild.remove();
    else item.append(drawComparison(comparison, rows, world));
    button.ariaExpanded = String(!open);
  });
  item.append(button);
  return item;
}

function listing(world) {
  let found = [];
  let shown = 0;
  const more = () => {
    find("list").append(...found.slice(shown, shown + STEP).map((one) => entry(one, world)));
    shown = Math.min(shown + STEP, found.length);
    find("more").hidden = shown === found.length;
  };
  const again = () => {
    found = filtered(world, chosen());
    shown = 0;
    find("list").replaceChildren();
    find("count").textContent = `${found.length.toLocaleString("en")} of ${world.comparisons.length.toLocaleString("en")} comparisons`;
    more();
  };
  find("more").addEventListener("click", more);
  find("filters").addEventListener("input", again);
  find("filters").addEventListener("submit", (event) => event.preventDefault());
  again();
}

async function main() {
  const world = await unpack();
  find("found").append(...drawFound(world));
  if (!world.comparisons.length) {
    find("count").textContent = "There is nothing to compare yet: a comparison needs answers of two conditions to one question. `kg-build eval answers FOLDER` makes them.";
  } else {
    fillFilters(world);
    find("filters").hidden = false;
    listing(world);
  }
  document.documentElement.dataset.ready = "1";
}

main().catch((error) => {
  find("count").textContent = `The comparisons can't be shown: ${error.message}. A newer browser can show them.`;
  throw error;
});

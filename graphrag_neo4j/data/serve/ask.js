"use strict";
/* The conversation: asks, shows the answer while it comes, and what it rests on. */

const KEPT = "conversation"; // what is kept of this tab, so that a reload loses nothing

/* Reads JSON from the server. Raises an error with the server's sentence. */
async function fetched(path, options) {
  const response = await fetch(path, options);
  if (!response.ok) throw new Error((await response.json().catch(() => null))?.error?.message ?? `The server answered ${response.status}.`);
  return response;
}

async function read(path) {
  return (await fetched(path)).json();
}

/* Yields the server-sent events of a response as [kind, value]. */
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const whole = (held + part.value).split("\n\n");
    held = whole.pop();
    for (const event of whole) {
      const [, kind, value] = event.match(/^event: (\w+)\ndata: (.*)$/s);
      yield [kind, JSON.parse(value)];
    }
  }
}

class Conversation {
  constructor(state) {
    const get = (id) => document.getElementById(id);
    Object.assign(this, { state, get, turns: [], asking: null });
    get("method").append(...state.methods.map((name) => make("option", { value: name }, name)));
    get("level").append(make("option", { value: "" }, "any"), ...Array.from({ length: state.levels }, (_, n) => make("option", { value: n }, String(n))));
    get("method").onchange = () => { get("levels").hidden = get("method").value !== "global"; };
    get("form").onsubmit = (event) => { event.preventDefault(); this.ask(get("question").value.trim()); };
    get("question").onkeydown = (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); this.ask(get("question").value.trim()); }
    };
    get("stop").onclick = () => this.asking?.abort();
    get("new").onclick = () => this.begin([]);
    this.begin(JSON.parse(sessionStorage.getItem(KEPT) ?? "[]"));
  }

  /* Shows a conversation from its beginning. */
  begin(turns) {
    this.asking?.abort();
    this.turns = turns;
    this.get("talk").replaceChildren();
    if (!turns.length) this.welcome();
    for (const turn of turns) this.show(turn, this.place(turn.question));
    this.keep();
    this.get("question").focus();
  }

  keep() {
    sessionStorage.setItem(KEPT, JSON.stringify(this.turns));
    light(this.turns.at(-1)?.answer.citations);
  }

  welcome() {
    const { name, counts, model } = this.state, proposed = make("div");
    this.get("talk").append(make("section", { class: "turn" },
      make("h2", {}, name || "Ask your documents"),
      make("p", { class: "facts" }, `${counted(counts.documents, "document", "documents")} · ${counted(counts.entities, "entity", "entities")} · ${counted(counts.communities, "community", "communities")}`),
      make("p", {}, model ? `${model} answers, and each sentence leads to its place.` : "No model is set, so answers are quotations. With OPENAI_API_KEY, a model answers."),
      proposed));
    this.propose("/api/suggestions?n=6", proposed);
  }

  async propose(path, place) {
    const found = await read(path).catch(() => []);
    place.append(...found.map((one) => make("button", { type: "button", class: "proposed", onclick: () => this.ask(one.question) }, one.question)));
  }

  place(question) {
    const turn = make("section", { class: "turn" }, make("h2", { dir: "auto" }, question), make("div", { class: "answer", dir: "auto" }), make("p", { class: "facts" }));
    this.get("talk").append(turn);
    turn.scrollIntoView({ block: "start" });
    return turn;
  }

  async ask(question) {
    if (!question || this.asking) return;
    if (!this.turns.length) this.get("talk").replaceChildren();
    const [turn, asking] = [this.place(question), new AbortController()];
    const [, answer, facts] = turn.children, { get } = this;
    const history = this.turns.map((one) => [one.answer.question, one.answer.text]);
    const method = get("method").value, level = get("level").value, where = get("where").value.trim();
    const body = { question, method, history, where: where ? [where] : [] };
    if (method === "global" && level) body.level = Number(level);
    this.asking = asking;
    this.busy(true);
    facts.textContent = "Searching…";
    let text = "", drawn = 0;
    try {
      const response = await fetched("/api/ask", { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" }, signal: asking.signal });
      for await (const [kind, value] of events(response)) {
        if (kind === "error") throw new Error(value.error.message);
        if (kind === "text") {
          text += value;
          drawn ||= requestAnimationFrame(() => { drawn = 0; answer.replaceChildren(markdown(text, () => ["…"])); });
        } else {
          cancelAnimationFrame(drawn);
          const { context, ...answered } = value; // it is large, and what is kept has a limit
          this.turns.push({ question, answer: answered });
          this.show(this.turns.at(-1), turn);
          this.keep();
          this.propose(`/api/suggestions?n=3&after=${value.id}`, turn);
        }
      }
      get("question").value = "";
    } catch (error) {
      facts.textContent = asking.signal.aborted ? "Stopped." : error.message;
      facts.className = "facts flaw";
    } finally {
      this.asking = null;
      this.busy(false);
      get("question").focus();
    }
  }

  busy(is) {
    this.get("send").disabled = is;
    this.get("stop").hidden = !is;
  }

  /* Shows a whole answer in its place. */
  show({ answer }, turn) {
    const [, body, facts] = turn.children, known = new Map(answer.citations.map((one) => [`${one.kind} ${one.ref}`, one]));
    const numbers = new Map();
    const mark = (bracket, said) => citations(bracket).map(([kind, ref]) => {
      const key = `${kind} ${ref}`;
      if (!numbers.has(key)) numbers.set(key, numbers.size + 1);
      return chip(numbers.get(key), kind, ref, known.get(key), said);
    });
    body.replaceChildren(markdown(answer.text, mark));
    const used = Object.values(answer.usage), cost = used.reduce((sum, one) => sum + (one.cost ?? 0), 0);
    const calls = used.reduce((sum, one) => sum + one.calls, 0);
    facts.replaceChildren(
      [`${answer.method} search`, `${answer.elapsed.toFixed(1)} s`, calls && counted(calls, "call", "calls"), cost && `$${cost.toFixed(4)}`].filter(Boolean).join(" · "), " ",
      make("button", { type: "button", class: "link", onclick: (event) => this.copy(answer, numbers, known, event.target) }, "Copy as Markdown"));
    turn.append(...[answer.incomplete, ...answer.notices].filter(Boolean).map((said) => make("p", { class: "facts" }, said)));
  }

  async copy(answer, numbers, known, button) {
    const text = answer.text.replace(/\s*\[\s*data\s*:[^\[\]]*\]/gi, (bracket) => citations(bracket).map(([kind, ref]) => `[^${numbers.get(`${kind} ${ref}`)}]`).join("") || bracket);
    const notes = [...numbers].map(([key, n]) => `[^${n}]: ${[key, ...(known.get(key)?.sources ?? []).map(placeOf)].join("; ")}`);
    if (!navigator.clipboard) {
      button.textContent = "Browsers copy only from https or localhost";
      return;
    }
    await navigator.clipboard.writeText([text, ...notes].join("\n\n"));
    button.textContent = "Copied";
  }
}

function placeOf(source) {
  const [start, end] = source.quote ?? [source.start, source.end], quoted = [...source.text].slice(start - source.start, end - source.start).join("");
  return `${source.title}, characters ${start.toLocaleString("en")}–${end.toLocaleString("en")}${source.quote ? `: “${flat(quoted)}”` : ""}`;
}

function flat(text) {
  return text.replace(/\s+/g, " ").trim();
}

/* The place of a citation that says most of a sentence, for a record that several sentences cite. */
function bestOf(sources, said) {
  const words = wordsIn(folded(said.slice(-400)));
  const shared = (one) => [...wordsIn(folded(placeOf(one)))].filter((word) => words.has(word)).length;
  return [...sources].sort((a, b) => shared(b) - shared(a))[0];
}

/* The mark of a citation. Hover and focus show the sentence that it rests on, a click opens it. */
function chip(number, kind, ref, citation, said) {
  const source = bestOf(citation?.sources ?? [], said), tip = document.getElementById("quote");
  const [start, end] = source ? source.quote ?? [source.start, source.end] : [];
  const address = source && kind !== "Reports" ? `#source-${source.chunk}-${start}-${end}` : { Reports: `#community-${ref}`, Entities: `#entity-${ref}` }[kind];
  const name = citation?.title ?? numbered(kind, ref);
  const mark = make("a", { class: "cite", textContent: String(number), ariaLabel: `${number}: ${name}`, href: address ?? "#" });
  const show = () => {
    tip.replaceChildren(make("strong", {}, name), ...(citation?.sources ?? []).map((one) => make("p", {}, placeOf(one))));
    if (citation && !citation.supported) tip.append(make("p", { class: "flaw" }, "This was not in the context of the answer."));
    tip.hidden = false;
    const { left, bottom, top } = mark.getBoundingClientRect(), below = bottom + tip.offsetHeight + 8 < innerHeight;
    tip.style.left = `${Math.max(8, Math.min(left, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${below ? bottom + 4 : Math.max(8, top - tip.offsetHeight - 4)}px`;
    mark.setAttribute("aria-describedby", "quote");
  };
  const hide = () => { tip.hidden = true; };
  Object.assign(mark, { onmouseenter: show, onmouseleave: hide, onfocus: show, onblur: hide });
  return mark;
}

read("/api/state").then((state) => {
  document.querySelector("h1").textContent = state.name || "Ask your documents";
  new Conversation(state);
}).catch((error) => document.getElementById("talk").replaceChildren(make("p", { class: "flaw" }, error.message)));

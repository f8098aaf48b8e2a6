"use strict";
/* The conversation: asks, shows the answer while it comes, and what it rests on. */

const KEPT = "conversation"; // what is kept of this tab, so that a reload loses nothing
const EARLIER = `conversations ${location.pathname}`; // those of all tabs: one host may have several servers
const MOST = 20; // turns of a conversation that are kept, and conversations

/* Reads JSON from the server. Raises an error with the server's sentence. */
async function fetched(path, options) {
  const response = await withToken(path, options).catch((error) => {
    const unreached = error.name === "TypeError" && !options?.signal?.aborted;
    throw unreached ? new Error("The server can't be reached: see whether kg-build serve still runs.") : error;
  });
  if (!response.ok) throw new Error((await response.json().catch(() => null))?.error?.message ?? `The server answered ${response.status}.`);
  return response;
}

async function read(path) {
  return (await fetched(path)).json();
}

const STAGES = {
  question: "Understanding the question", method: "Choosing the method", search: "Searching", rating: "Rating reports", map: "Reading reports",
  primer: "Reading reports", "follow-ups": "Asking follow-up questions", answer: "Writing the answer", deletion: "Deleting", ingest: "Reading files",
  extraction: "Finding names", claims: "Finding claims", merge: "Counting", resolve: "Joining names", compare: "Comparing names", labels: "Labelling",
  summarize: "Writing descriptions", embed: "Making vectors", communities: "Finding communities", reports: "Writing reports",
};

/* What a search or a run does now, and how far it is. The files that are read are counted in bytes. */
function doing({ stage, done, total }) {
  const of = total && stage !== "ingest" ? `: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : "";
  return `${Object.hasOwn(STAGES, stage) ? STAGES[stage] : stage}${of}`;
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

/* The conversations that the browser keeps, the newest first, as {id, time, turns}. */
const earlier = {
  full: false,

  all() {
    try {
      return JSON.parse(localStorage.getItem(EARLIER)) ?? [];
    } catch {
      return [];
    }
  },

  /* Keeps what fits: where the storage is full, the oldest ones are dropped. */
  keep(all) {
    for (let n = Math.min(all.length, MOST); n >= 0; n--) {
      try {
        localStorage.setItem(EARLIER, JSON.stringify(all.slice(0, n)));
        this.full = n < Math.min(all.length, MOST);
        return;
      } catch {
        // it is full
      }
    }
  },

  drop(id) {
    this.keep(this.all().filter((one) => one.id !== id));
  },
};

/* A turn is {question, method, level, where} with {answer, proposed}, or with {failed, text}: why there is no answer, and the
   text that came before. */
class Conversation {
  constructor() {
    const get = (id) => document.getElementById(id);
    const { id, time, turns } = JSON.parse(sessionStorage.getItem(KEPT)) ?? {};
    Object.assign(this, { get, turns: [], asking: null });
    get("method").onchange = () => { get("levels").hidden = get("method").value !== "global"; };
    get("form").onsubmit = (event) => { event.preventDefault(); this.ask(get("question").value.trim()); };
    get("question").onkeydown = (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); this.ask(get("question").value.trim()); }
    };
    get("stop").onclick = () => this.asking?.abort();
    get("new").onclick = () => this.begin({});
    this.begin({ id, time, turns });
  }

  /* Shows a conversation from its beginning. */
  begin({ id = Date.now() + Math.random(), time, turns = [] }) {
    this.asking?.abort();
    this.asking = null;
    this.busy(false);
    Object.assign(this, { id, time, turns });
    sessionStorage.setItem(KEPT, JSON.stringify({ id, time, turns }));
    this.get("talk").replaceChildren();
    this.refresh();
    for (const turn of turns) this.show(turn, this.place(turn.question));
    light(this.turns.findLast((turn) => turn.answer)?.answer.citations);
    this.get("question").focus();
  }

  /* Keeps the conversation. One that another tab has continued meanwhile becomes another one here. */
  keep() {
    const all = earlier.all(), there = all.find((one) => one.id === this.id);
    if (there && there.time !== this.time) this.id = Date.now() + Math.random();
    this.time = Date.now();
    const one = { id: this.id, time: this.time, turns: this.turns.slice(-MOST) };
    earlier.keep([one, ...all.filter((other) => other.id !== one.id)]);
    sessionStorage.setItem(KEPT, JSON.stringify(one));
    light(this.turns.findLast((turn) => turn.answer)?.answer.citations);
  }

  /* Brings up to date what is said of the graph. */
  async refresh() {
    await (this.turns.length ? this.offer() : this.welcome()).catch((error) => this.get("talk").append(make("p", { class: "flaw" }, error.message)));
  }

  /* Says what can be asked, and offers the choices that the graph has. */
  async offer() {
    const state = await read("api/state"), { get } = this, title = state.title || "Ask your documents";
    const filled = (id, options) => {
      const { value } = get(id);
      get(id).replaceChildren(...options);
      if (value) get(id).value = value;
    };
    document.querySelector("h1").textContent = title;
    filled("method", state.methods.map((name) => make("option", { value: name }, name)));
    filled("level", [make("option", { value: "" }, "any"), ...Array.from({ length: state.levels }, (_, n) => make("option", { value: n }, String(n)))]);
    const conditions = Object.entries(state.metadata).flatMap(([field, values]) => values.map((value) => `${field}=${value}`));
    get("fields").replaceChildren(...[...conditions, "title=*word*", "source=*word*"].map((value) => make("option", { value })));
    get("where").placeholder = `such as ${conditions[0] ?? "title=*word*"}`;
    return { ...state, title };
  }

  async welcome() {
    const proposed = make("div"), shown = make("section", { class: "turn" });
    this.get("talk").replaceChildren(shown);
    const { title, counts, model, write, running } = await this.offer();
    const facts = [counted(counts.documents, "document", "documents"), counted(counts.entities, "entity", "entities"), counted(counts.communities, "community", "communities")];
    const n = earlier.all().length;
    shown.append(...[
      make("h2", {}, title),
      make("p", { class: "facts" }, facts.join(" · ")),
      counts.documents ? null : running ? make("p", {}, "The documents are being read. ", make("a", { href: "#documents" }, "How far?")) : make("p", {}, "There are no documents yet. ", write ? make("a", { href: "#documents" }, "Add some") : "Run kg-build index with your files."),
      make("p", {}, model ? `${model} answers, and each sentence leads to its place.` : "No model is set, so answers are quotations. With OPENAI_API_KEY, a model answers."),
      n ? make("p", {}, make("a", { href: "#ask" }, counted(n, "earlier conversation", "earlier conversations"))) : null,
      proposed,
    ].filter(Boolean));
    if (counts.entities) await this.propose(await this.suggested("n=6", proposed), proposed);
  }

  /* Asks for suggestions, and says so in their place. */
  async suggested(query, place) {
    const waiting = make("p", { class: "facts" }, "Looking for questions…");
    place.append(waiting);
    const found = await read(`api/suggestions?${query}`).catch(() => []);
    waiting.remove();
    return found.map((one) => one.question);
  }

  propose(questions, place) {
    place.append(...questions.map((question) => make("button", { type: "button", class: "proposed", onclick: () => this.ask(question) }, question)));
  }

  place(question) {
    const turn = make("section", { class: "turn" }, make("h2", { dir: "auto" }, question), make("div", { class: "answer prose", dir: "auto" }), make("p", { class: "facts" }));
    this.get("talk").append(turn);
    turn.scrollIntoView({ block: "start" });
    return turn;
  }

  async ask(question, all = false) {
    if (!question || this.asking) return;
    if (!this.turns.length) this.get("talk").replaceChildren();
    const { get } = this, asking = (this.asking = new AbortController()), place = this.place(question);
    const [, answer, facts] = place.children, turn = { question, method: get("method").value, level: get("level").value, where: get("where").value };
    const history = this.turns.filter((one) => one.answer).map((one) => [one.answer.question, one.answer.text]);
    const where = turn.where.split(";").map((one) => one.trim()).filter(Boolean);
    const body = { question, method: turn.method || "auto", history, where, all_passages: all, progress: true };
    if (body.method === "global" && turn.level) body.level = Number(turn.level);
    this.turns.push(turn);
    this.keep();
    this.busy(true);
    get("question").value = "";
    facts.textContent = "Searching…";
    const draw = new Markdown(() => ["…"]).growing(answer);
    let text = "", drawn = 0;
    try {
      const response = await fetched("api/ask", { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" }, signal: asking.signal });
      for await (const [kind, value] of events(response)) {
        if (kind === "error") throw new Error(value.error.message);
        if (kind === "progress") facts.textContent = `${doing(value)}…`;
        else if (kind === "text") {
          text += value;
          drawn ||= requestAnimationFrame(() => { drawn = 0; draw(text); });
        } else {
          const { context, ...answered } = value; // it is large, and what is kept has a limit
          turn.answer = answered;
        }
      }
    } catch (error) {
      Object.assign(turn, { text, failed: asking.signal.aborted ? "Stopped." : error.message });
    }
    cancelAnimationFrame(drawn);
    if (!this.turns.includes(turn)) return; // another conversation has begun
    this.asking = null;
    this.show(turn, place);
    this.keep();
    this.busy(false);
    get("question").focus();
    if (!turn.answer) return;
    turn.proposed = await this.suggested(`n=3&after=${turn.answer.id}`, place);
    this.propose(turn.proposed, place);
    this.keep();
  }

  busy(is) {
    this.get("send").disabled = is;
    this.get("stop").hidden = !is;
  }

  /* Puts a question back into the form as it was asked, to be changed. */
  again({ question, method, level, where }) {
    for (const [id, value] of Object.entries({ question, method, level, where })) if (value !== undefined) this.get(id).value = value;
    this.get("method").onchange();
    this.get("question").focus();
  }

  /* Shows a turn in its place. */
  show(asked, turn) {
    const { question, answer, failed, text, proposed } = asked, again = link("Ask again", () => this.again(asked));
    const [, body, facts] = turn.children;
    if (!answer) {
      body.replaceChildren(new Markdown(() => ["…"]).blocks(text ?? ""));
      facts.className = "facts flaw";
      facts.replaceChildren(failed ?? "This was not answered.", " ", again);
      return;
    }
    const known = new Map(answer.citations.map((one) => [`${one.kind} ${one.ref}`, one]));
    const numbers = new Map();
    const mark = (bracket, said) => citations(bracket).map(([kind, ref]) => {
      const key = `${kind} ${ref}`;
      if (!numbers.has(key)) numbers.set(key, numbers.size + 1);
      return chip(numbers.get(key), kind, ref, known.get(key), said);
    });
    body.replaceChildren(new Markdown(mark).blocks(answer.text));
    for (const cite of body.querySelectorAll("li > a.cite, li > p > a.cite")) { // the place of a quotation, on the line after it
      const { nextSibling: line } = cite, place = line?.nextSibling;
      if (line?.localName === "br" && place?.data) place.replaceWith(make("small", {}, breakable(place.data)));
    }
    const used = Object.values(answer.usage), cost = used.reduce((sum, one) => sum + (one.cost ?? 0), 0);
    const calls = used.reduce((sum, one) => sum + one.calls, 0);
    facts.replaceChildren(
      [`${answer.method} search`, `${answer.elapsed.toFixed(1)} s`, calls && counted(calls, "call", "calls"), cost && `$${cost.toFixed(4)}`].filter(Boolean).join(" · "), " · ", again, " · ",
      make("button", { type: "button", class: "link copy", onclick: (event) => this.copy(answer, numbers, known, event.target) }, "Copy as Markdown"));
    body.before(...answer.notices.map((said) => make("p", { class: "notice" }, said)));
    if (answer.incomplete) turn.append(make("p", { class: "notice" }, answer.incomplete));
    if (answer.more) facts.before(make("p", { class: "notice" }, link(`${answer.more.toLocaleString("en")} more`, () => this.ask(question, true))));
    turn.append(...this.documents(answer));
    this.propose(proposed ?? [], turn);
  }

  /* The documents that an answer rests on, each with the first place there. */
  documents({ citations }) {
    const first = new Map(), sources = citations.flatMap((one) => one.sources);
    for (const one of sources) if (!(first.get(one.document)?.start <= one.start)) first.set(one.document, one);
    const links = [...first.values()].map((one) => make("li", {}, make("a", { href: documentAddress(one.document, ...one.quote ?? [one.start, one.end]) }, breakable(one.name || one.title))));
    return links.length ? [make("ul", { class: "cited from", ariaLabel: "Documents of this answer" }, links)] : [];
  }

  async copy(answer, numbers, known, button) {
    const text = answer.text.replace(new RegExp(`(?<!\\s)\\s*${CITED.source}`, "gi"), (bracket) => citations(bracket).map(([kind, ref]) => `[^${numbers.get(`${kind} ${ref}`)}]`).join("") || bracket);
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
  return `${source.place}${source.quote ? `: “${flat(quoted)}”` : ""}`;
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

/* The beginning of what the graph says of a record. */
function described(kind, ref) {
  const table = { Reports: "communities", Entities: "entities", Relationships: "relationships", Claims: "claims" }[kind];
  const one = atlas?.world[table]?.get(ref), text = flat((one?.summary ?? one?.description ?? "").replace(CITED, ""));
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/* The mark of a citation. Hover and focus show the sentence that it rests on, a click opens it. */
function chip(number, kind, ref, citation, said) {
  const source = bestOf(citation?.sources ?? [], said), tip = document.getElementById("quote");
  const [start, end] = source ? source.quote ?? [source.start, source.end] : [];
  const address = source && kind !== "Reports" ? `#source-${source.chunk}-${start}-${end}` : { Reports: `#community-${ref}`, Entities: `#entity-${ref}` }[kind];
  const name = citation?.title ?? numbered(kind, ref);
  const mark = make("a", { class: "cite", textContent: String(number), ariaLabel: `${number}: ${name}`, href: address ?? "#" });
  const show = () => {
    const told = (citation?.sources ?? []).map(placeOf);
    tip.replaceChildren(make("strong", {}, name), ...(told.length ? told : [described(kind, ref)]).map((one) => make("p", {}, one)));
    if (citation && !citation.supported) tip.append(make("p", { class: "flaw" }, citation.title ? "This was not in the context of the answer." : "The model invented this number."));
    for (const one of citation?.misquoted ?? []) tip.append(make("p", { class: "flaw" }, `The quotation “${flat(one)}” is not there word for word.`));
    tip.hidden = false;
    const { left, bottom, top } = mark.getBoundingClientRect(), below = bottom + tip.offsetHeight + 8 < innerHeight;
    tip.style.left = `${Math.max(8, Math.min(left, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${below ? bottom + 4 : Math.max(8, top - tip.offsetHeight - 4)}px`;
    mark.setAttribute("aria-describedby", "quote");
  };
  const hide = () => { tip.hidden = true; };
  mark.onclick = (event) => {
    if (mark.hash === location.hash) {
      event.preventDefault(); // it would lead nowhere
      dispatchEvent(new HashChangeEvent("hashchange"));
    } else origin = { mark, hash: location.hash };
  };
  Object.assign(mark, { onmouseenter: show, onmouseleave: hide, onfocus: show, onblur: hide });
  return mark;
}

/* The earlier conversations, to open or to delete. */
views.ask = async () => {
  const heading = make("h2", { tabIndex: -1 }, "Earlier conversations"), list = make("ul", { class: "list" }), told = make("p", { class: "facts", role: "status" });
  const clear = make("button", { type: "button", class: "more", onclick: () => confirm("Delete all earlier conversations?") && change(() => earlier.keep([])) }, "Delete all");
  const change = (act) => { act(); draw(); heading.focus(); };
  const draw = () => {
    const all = earlier.all();
    list.replaceChildren(...all.map((one) => make("li", {},
      make("span", { dir: "auto" }, link(one.turns[0].question, () => conversation.begin(one))), " ",
      make("small", {}, new Date(one.time).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" })), " ",
      make("button", { type: "button", class: "link", ariaLabel: `Delete ${one.turns[0].question}`, onclick: () => change(() => earlier.drop(one.id)) }, "Delete"))));
    told.textContent = earlier.full ? "The browser's storage is full, so the oldest conversations were dropped." : all.length ? "This browser keeps them, and no one else has them." : "There are none yet.";
    clear.hidden = !all.length;
  };
  draw();
  return [heading, told, list, clear];
};

const conversation = new Conversation();

"use strict";
/* The names of an entity: why each was joined or kept apart, and what people say of them. */

views.names = async (ref) => {
  const entity = atlas.world.entities.get(Number(ref));
  if (!entity) throw new Error("This is not in the graph, or no longer.");
  const own = new Set([entity.name, ...entity.aliases ?? []]), query = new URLSearchParams([...own].map((name) => ["name", name]));
  const [{ write }, decisions] = await Promise.all([read("api/state"), read(`api/names?${query}`)]), told = make("p", { class: "facts", role: "status" });
  let saying = false;
  const say = async (one, other, verdict) => {
    if (saying) return;
    saying = true;
    told.textContent = "Comparing names…";
    try {
      const found = await (await fetched("api/names", { method: "PUT", body: JSON.stringify({ one, other, verdict }), headers: { "content-type": "application/json" } })).json();
      await atlas.renew();
      if (location.hash === `#names-${found.ref}`) dispatchEvent(new HashChangeEvent("hashchange"));
      else location.hash = `#names-${found.ref}`;
    } catch (error) {
      told.textContent = error.message;
    }
    saying = false;
  };
  const row = (other, one, verdict, reasons) => {
    const label = verdict === "same" ? "They are one thing" : "Not the same";
    const change = make("button", { type: "button", class: "link", ariaLabel: `${label}: ${other}`, onclick: () => say(one, other, verdict) }, label);
    return make("li", {}, make("span", { dir: "auto" }, other), " ", make("small", {}, reasons.join(" ")), " ", write ? change : null);
  };
  const about = (name) => decisions.filter((it) => it.verdict === "same" && it.together && [it.one, it.other].includes(name)).map((it) => it.reason);
  const joined = [...own].filter((name) => name !== entity.name).map((name) => row(name, entity.name, "different", about(name)));
  const apart = decisions.filter((it) => it.verdict === "different" && !it.together).map((it) => {
    const [one, other] = own.has(it.one) ? [it.one, it.other] : [it.other, it.one];
    return row(other, one, "same", [it.reason]);
  });
  const other = make("input", { id: "other", autocomplete: "off", required: true }), join = make("form", { class: "sought" }, make("label", { htmlFor: "other" }, "Also called"), other, make("button", { type: "submit", class: "more" }, "Join"));
  join.onsubmit = (event) => { event.preventDefault(); say(entity.name, other.value.trim(), "same"); };
  return [
    make("h2", { tabIndex: -1, dir: "auto" }, `Names of ${entity.name}`),
    make("p", {}, make("a", { href: `#entity-${entity.ref}` }, "Back to the entity")),
    make("h3", {}, "Joined"),
    joined.length ? make("ul", { class: "list" }, joined) : make("p", {}, "It has one name."),
    ...apart.length ? [make("h3", {}, "Kept apart"), make("ul", { class: "list" }, apart)] : [],
    write ? join : null,
    told,
    write ? make("p", { class: "facts" }, "What you say stays, whatever is read later. Descriptions and reports follow when documents are read next.") : null,
  ].filter(Boolean);
};

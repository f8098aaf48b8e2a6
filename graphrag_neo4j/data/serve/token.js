"use strict";
/* The token: the printed address brings it behind the "#", and each request to this server carries it.
   Local storage belongs to the origin, so no other port gets it. */

const TOKEN = "token"; // what it is called in the address and in the stores

/* Takes the token out of the address and the history of the tab. Returns whether there was one. */
function took() {
  if (!location.hash.startsWith(`#${TOKEN}=`)) return false;
  const [brought] = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B")).values();
  if (/^[!-~]+$/.test(brought)) sessionStorage.setItem(TOKEN, brought); // a header holds nothing else
  const rest = location.hash.replace(/^[^&]*&?/, "");
  history.replaceState(null, "", rest ? `#${rest}` : "./");
  return true;
}

/* Asks this server. What the address brought is kept for later only once it was let in, since a link
   of a stranger can bring a wrong token. Raises an error for a wrong one, and forgets it. */
async function withToken(path, options) {
  const brought = sessionStorage.getItem(TOKEN), token = brought ?? localStorage.getItem(TOKEN) ?? "";
  const response = await fetch(path, { ...options, headers: { ...options?.headers, authorization: `Bearer ${token}` } });
  if (response.ok && brought) {
    localStorage.setItem(TOKEN, brought);
    sessionStorage.removeItem(TOKEN);
  }
  if (response.status !== 401) return response;
  for (const store of [sessionStorage, localStorage]) if (store.getItem(TOKEN) === token) store.removeItem(TOKEN);
  throw new Error("The token is missing or wrong: open the address that kg-build serve printed.");
}

took();
addEventListener("hashchange", () => { if (took()) location.reload(); });

/** Which page is shown; it is in the fragment, which no server sees. */

export type Route = {
  page: "waiting" | "sessions" | "history" | "devices";
  ask: string | null;
  session?: string;
};

export function routeOf(hash: string): Route {
  const [page, id] = hash.replace(/^#\/?/, "").split("/");
  if (page === "history") return { page, ask: id ?? null };
  if (page === "sessions") return { page, ask: null, ...(id ? { session: id } : {}) };
  if (page === "devices") return { page, ask: null };
  return { page: "waiting", ask: page === "ask" && id ? id : null };
}

class Place {
  route = $state.raw<Route>(routeOf(location.hash));

  constructor() {
    addEventListener("hashchange", () => (this.route = routeOf(location.hash)));
  }
}

export const here = new Place();

/**
 * Routes: the part of the address behind `#`. It never reaches the server, so the page works below any path of a proxy, and a
 * reload keeps it.
 */

export interface Route {
  readonly page: string;
  /** The parts behind it, for example the id of a job. */
  readonly parts: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

export interface PageProps {
  readonly route: Route;
}

const START_PAGE = "overview";

/** @param hash with its `#`, or empty */
export function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/u, "").split("?", 2);
  const [page = "", ...parts] = path.split("/").map(decoded);
  return {
    page: page === "" ? START_PAGE : page,
    parts: parts.filter((part) => part !== ""),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** The `href` of a route; empty entries of the query are left out. */
export function hrefTo(
  page: string,
  parts: readonly string[] = [],
  query: Readonly<Record<string, string>> = {},
): string {
  const path = [page, ...parts].map(encodeURIComponent).join("/");
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const search = new URLSearchParams(given).toString();
  return search === "" ? `#/${path}` : `#/${path}?${search}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

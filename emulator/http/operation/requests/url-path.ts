/** The path of a request's URL. */

/** Removes the query, which may contain secrets. */
export function pathOf({ url = "" }: { readonly url?: string | undefined }): string {
  const [path = ""] = url.split("?", 1);
  return path;
}

/** Whether a URL leads to a path or below it. */
export function isBelow(path: string, url: string): boolean {
  return url.startsWith(path) && /^(?:$|[/?])/.test(url.slice(path.length));
}

/** The URL without slashes at the end of its path. */
export function withoutLastSlash(url: string): string {
  const path = pathOf({ url });
  let length = path.length;
  while (length > 1 && path[length - 1] === "/") length -= 1;
  return path.slice(0, length) + url.slice(path.length);
}

/** The path with a plain word for each part that is longer than `maxLength` or not validly percent-encoded. */
export function withNameableParts(path: string, maxLength: number): string {
  const parts = path.split("/");
  const isNameable = (part: string) => part.length <= maxLength && isDecodable(part);
  return parts.map((part) => (isNameable(part) ? part : "x")).join("/");
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** Cuts a bucket's keys into pages, and rolls keys with a delimiter up into common prefixes. */
import { Buffer } from "node:buffer";
import { afterAllWith, justAfter, laterOf, startsWith } from "./key-order.ts";
import type { ListPage, ListQuery } from "./object-store.ts";

export interface Found<T> {
  readonly key: Buffer;
  readonly item: T;
}

/** Walks keys in byte order. */
export interface KeyCursor<T> {
  /** The first key at or after `atLeast`, which grows with every call. */
  next(atLeast: Buffer): Promise<Found<T> | undefined>;
}

/** One page. The cursor is asked once for each entry, and once more to see whether there is a next page. */
export async function paginate<T>(cursor: KeyCursor<T>, query: ListQuery): Promise<ListPage<T>> {
  const { maxEntries } = query;
  const prefix = Buffer.from(query.prefix ?? "");
  const delimiter = Buffer.from(query.delimiter ?? "");
  const items: T[] = [];
  const commonPrefixes: string[] = [];
  let last = "";
  let from = laterOf(prefix, beginning(query.after, prefix, delimiter));
  if (maxEntries === 0) return { items, commonPrefixes, next: undefined };
  for (;;) {
    const found = await cursor.next(from);
    if (!found || !startsWith(found.key, prefix)) {
      return { items, commonPrefixes, next: undefined };
    }
    if (items.length + commonPrefixes.length === maxEntries) {
      return { items, commonPrefixes, next: last };
    }
    const common = commonPrefixOf(found.key, prefix, delimiter);
    if (common) {
      last = common.toString();
      commonPrefixes.push(last);
      from = afterAllWith(common);
    } else {
      last = found.key.toString();
      items.push(found.item);
      from = justAfter(found.key);
    }
  }
}

/** The first key of a page. After a common prefix, all its keys are skipped. */
function beginning(after: string | undefined, prefix: Buffer, delimiter: Buffer): Buffer {
  if (after === undefined || after === "") return Buffer.alloc(0);
  const key = Buffer.from(after);
  const isCommonPrefix = commonPrefixOf(key, prefix, delimiter)?.equals(key) === true;
  return isCommonPrefix ? afterAllWith(key) : justAfter(key);
}

function commonPrefixOf(key: Buffer, prefix: Buffer, delimiter: Buffer): Buffer | undefined {
  if (delimiter.length === 0 || !startsWith(key, prefix)) return undefined;
  const at = key.indexOf(delimiter, prefix.length);
  return at === -1 ? undefined : key.subarray(0, at + delimiter.length);
}

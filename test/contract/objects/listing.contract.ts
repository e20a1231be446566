/** Contract of the object store: listings, compared with a model that sorts all keys and cuts them into pages. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Bucket, ListQuery } from "../../../emulator/objects/object-store.ts";
import { type OpenBucket, put } from "./subject.ts";

/** Keys that both kinds of buckets can hold together. Their byte order differs from their string order. */
const KEYS = [
  "a",
  "a-b",
  "a.b",
  "a0",
  "b/",
  "b/a",
  "b/a.txt",
  "b/b/c/d",
  "b/b-c",
  "b0",
  "c/\u{1F600}",
  "c/\uFB01",
  "c/\uFFFD",
  "d d/ü",
  "d d/u\u0308",
  "dir/sub/1",
  "dir/sub/10",
  "dir/sub/2",
  "dir/sub-1",
  "dir.x",
  "z/%2F+&<>\"'",
].filter((key) => !key.endsWith("/"));

/** Names in the order of the page. */
type Entry = { readonly key: string } | { readonly prefix: string };

function nameOf(entry: Entry): string {
  return "key" in entry ? entry.key : entry.prefix;
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function expected(keys: readonly string[], { prefix = "", delimiter = "" }: Partial<ListQuery>) {
  const entries = new Map<string, Entry>();
  for (const key of keys.filter((candidate) => candidate.startsWith(prefix))) {
    const at = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const entry = at === -1 ? { key } : { prefix: key.slice(0, at + delimiter.length) };
    entries.set(nameOf(entry), entry);
  }
  return [...entries.values()].toSorted((a, b) => byBytes(nameOf(a), nameOf(b)));
}

async function listed(bucket: Bucket, query: ListQuery): Promise<readonly (readonly Entry[])[]> {
  const pages: Entry[][] = [];
  for (let after = query.after; ;) {
    const page = await bucket.list({ ...query, ...(after !== undefined && { after }) });
    const entries: Entry[] = [
      ...page.items.map(({ key }) => ({ key })),
      ...page.commonPrefixes.map((prefix) => ({ prefix })),
    ];
    pages.push(entries.toSorted((a, b) => byBytes(nameOf(a), nameOf(b))));
    if (page.next === undefined) return pages;
    after = page.next;
  }
}

export function listingContract(open: OpenBucket): void {
  it("a listing equals a model's: in byte order, by page, with prefix and delimiter", async () => {
    await using subject = await open();
    const { bucket } = subject;
    for (const key of KEYS) await put(bucket, key, key);
    const prefixes = ["", "a", "b", "b/", "b/b", "dir/sub/", "dir/sub/1", "c/", "nothing", "z/%"];
    const property = fc.asyncProperty(
      fc.constantFrom(...prefixes),
      fc.constantFrom("", "/", "b", "sub", "-", "/s"),
      fc.integer({ min: 1, max: KEYS.length + 1 }),
      async (prefix, delimiter, maxEntries) => {
        const pages = await listed(bucket, { prefix, delimiter, maxEntries });
        expect(pages.flat()).toEqual(expected(KEYS, { prefix, delimiter }));
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(maxEntries);
        if (pages.length > 1) expect(pages.at(-1)).not.toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });

  it("a listing begins after any text, whether it is a key or not", async () => {
    await using subject = await open();
    const { bucket } = subject;
    for (const key of KEYS) await put(bucket, key);
    const property = fc.asyncProperty(
      fc.oneof(fc.constantFrom(...KEYS, "b/", "~", "0"), fc.string({ maxLength: 4 })),
      async (after) => {
        const pages = await listed(bucket, { after, maxEntries: 1_000 });
        const rest = expected(KEYS, {}).filter((entry) => byBytes(nameOf(entry), after) > 0);
        expect(pages.flat()).toEqual(rest);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it("a listed common prefix is not listed again, but one that was entered is", async () => {
    await using subject = await open();
    const { bucket } = subject;
    for (const key of ["a/1", "a/2", "b"]) await put(bucket, key);
    const list = async (after: string) => bucket.list({ delimiter: "/", after, maxEntries: 10 });
    expect((await list("a/")).commonPrefixes).toEqual([]);
    expect((await list("a/1")).commonPrefixes).toEqual(["a/"]);
    expect((await list("a/2")).commonPrefixes).toEqual([]);
  });

  it("a listing shows the same facts as a request for the object's head", async () => {
    await using subject = await open();
    const { bucket } = subject;
    await put(bucket, "a", "1", { metadata: { x: "y" } });
    await put(bucket, "b/c", "22");
    const { items } = await bucket.list({ maxEntries: 10 });
    expect(items).toEqual([await bucket.head("a"), await bucket.head("b/c")]);
  });

  it("a listing of zero entries is empty and has no next page", async () => {
    await using subject = await open();
    await put(subject.bucket, "a");
    const page = await subject.bucket.list({ maxEntries: 0 });
    expect(page).toEqual({ items: [], commonPrefixes: [], next: undefined });
  });

  it("a deleted object is not listed, nor is a prefix without objects", async () => {
    await using subject = await open();
    const { bucket } = subject;
    for (const key of ["a/1", "a/2", "b/c/d"]) await put(bucket, key);
    await bucket.delete("a/1");
    await bucket.delete("b/c/d");
    const { commonPrefixes } = await bucket.list({ delimiter: "/", maxEntries: 10 });
    expect(commonPrefixes).toEqual(["a/"]);
  });
}

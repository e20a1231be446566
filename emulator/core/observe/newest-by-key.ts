/** Keeps the newest items of many keys in bounded memory; a key without items costs nothing. */

export interface Bounds {
  readonly perKey: number;
  /** Maximum number of items of all keys together. */
  readonly inAll: number;
}

export class NewestByKey<Item> {
  readonly #bounds: Bounds;
  /** The key with the oldest last item is first. */
  readonly #items = new Map<string, Item[]>();
  #count = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Oldest first. */
  of(key: string): readonly Item[] {
    return this.#items.get(key) ?? [];
  }

  newest(key: string): Item | undefined {
    return this.#items.get(key)?.at(-1);
  }

  /**
   * If there is no room, the oldest item is dropped: of the same key, or of the key without a new item for the longest time.
   */
  add(key: string, item: Item): void {
    const items = this.#items.get(key) ?? [];
    items.push(item);
    this.#items.delete(key);
    this.#items.set(key, items);
    this.#count += 1;
    if (items.length > this.#bounds.perKey) this.#dropOldest(key, items);
    if (this.#count <= this.#bounds.inAll) return;
    const [quietest] = this.#items;
    if (quietest) this.#dropOldest(...quietest);
  }

  /** Forgets the oldest items of the key while each is `needless` because of the next one. */
  dropWhile(key: string, needless: (item: Item, next: Item) => boolean): void {
    const items = this.#items.get(key) ?? [];
    for (;;) {
      const [first, next] = items;
      if (first === undefined || next === undefined || !needless(first, next)) return;
      this.#dropOldest(key, items);
    }
  }

  delete(key: string): void {
    this.#count -= this.of(key).length;
    this.#items.delete(key);
  }

  #dropOldest(key: string, items: Item[]): void {
    items.shift();
    this.#count -= 1;
    if (items.length === 0) this.#items.delete(key);
  }
}

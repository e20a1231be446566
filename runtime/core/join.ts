/** Joins the parts of a split value: the inverse of split-text.ts, for parsed parts. */

/** One received part. */
export interface ParsedPart {
  readonly output: unknown;
  /** Number of nesting levels of the value that this part continues; see `JsonPart` in split-text.ts. */
  readonly continues: number;
}

/** The parts are not all parts of one value, or not in their order. */
export class JoinError extends Error {
  override readonly name = "JoinError";
  readonly code = "parts_do_not_fit";
}

type Container = unknown[] | Record<string, unknown>;
type Key = string | number;

/** Joins parts as they arrive, in time linear in their size. */
export class Joiner {
  #value: unknown;
  #count = 0;
  /** The joiner's own copies of continued containers, outermost first. It adds to these. */
  readonly #open: Container[] = [];

  /** @throws JoinError */
  add(part: ParsedPart): void {
    const { output, continues } = part;
    if (this.#count > 0 !== continues > 0 || !Number.isSafeInteger(continues)) {
      throw this.#misfit(`continues must be ${this.#count === 0 ? "0" : "at least 1"}`);
    }
    if (this.#count === 0) this.#value = output;
    else this.#continue(output, continues);
    this.#count += 1;
  }

  /** The value of all parts so far. @throws JoinError without parts */
  value(): unknown {
    if (this.#count === 0) throw new JoinError("There are no parts to join.");
    return this.#value;
  }

  #continue(output: unknown, continues: number): void {
    let piece = output;
    let key: Key = "";
    /** The last element is new from this level on: copies below it are no longer at the end of the value. */
    let stillOpen = continues;
    for (let level = 0; level < continues; level += 1) {
      const target = this.#at(level, key);
      if (typeof target === "string" && typeof piece === "string" && level === continues - 1) {
        this.#put(level, key, target + piece);
        stillOpen = Math.min(stillOpen, level);
        break;
      }
      const container = this.#openAt(level, key, target);
      const goesDeeper = level < continues - 1;
      const merged = this.#merge(container, piece, goesDeeper);
      if (merged.added > 0) stillOpen = Math.min(stillOpen, level + 1);
      key = merged.key;
      piece = merged.first;
    }
    this.#open.length = Math.min(this.#open.length, stillOpen);
  }

  #at(level: number, key: Key): unknown {
    const parent = this.#open[level - 1];
    return parent === undefined ? this.#value : entry(parent, key);
  }

  #put(level: number, key: Key, value: unknown): void {
    const parent = this.#open[level - 1];
    if (parent === undefined) this.#value = value;
    else setEntry(parent, key, value);
  }

  /** A copy of the container at `level` on the path to the end of the value, to which elements may be added. */
  #openAt(level: number, key: Key, target: unknown): Container {
    const open = this.#open[level];
    if (open !== undefined) return open;
    const copy = Array.isArray(target)
      ? target.slice()
      : isObject(target)
        ? { ...target }
        : undefined;
    if (copy === undefined)
      throw this.#misfit(`there is nothing to continue at level ${level + 1}`);
    this.#put(level, key, copy);
    this.#open[level] = copy;
    return copy;
  }

  /** Adds the content of `piece` to `target`; its first element continues the last one of `target` if the part says so. */
  #merge(
    target: Container,
    piece: unknown,
    goesDeeper: boolean,
  ): { key: Key; first: unknown; added: number } {
    const skipped = goesDeeper ? 1 : 0;
    if (Array.isArray(target) && Array.isArray(piece)) {
      const key = target.length - 1;
      for (let index = skipped; index < piece.length; index += 1) target.push(piece[index]);
      return { key, first: piece[0], added: piece.length - skipped };
    }
    if (!Array.isArray(target) && isObject(piece)) {
      const keys = Object.keys(piece);
      const key = keys[0] ?? "";
      if (goesDeeper && !Object.hasOwn(target, key))
        throw this.#misfit(`there is no entry ${JSON.stringify(key)}`);
      for (const added of keys.slice(skipped)) setEntry(target, added, piece[added]);
      return { key, first: piece[key], added: keys.length - skipped };
    }
    throw this.#misfit("its kind differs from that of the previous part");
  }

  #misfit(reason: string): JoinError {
    return new JoinError(`Part ${this.#count} does not fit the earlier parts: ${reason}.`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function entry(container: Container, key: Key): unknown {
  if (Array.isArray(container)) return typeof key === "number" ? container[key] : undefined;
  return container[key];
}

function setEntry(container: Container, key: Key, value: unknown): void {
  if (Array.isArray(container)) {
    if (typeof key === "number") container[key] = value;
    return;
  }
  // An assignment to `__proto__` would set the prototype, and one to another inherited name may be forbidden.
  if (key in Object.prototype) {
    Object.defineProperty(container, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else container[key] = value;
}

/** Tells clients when the emulator accepts calls, over all its lives, and counts their finished jobs. */

interface Waiting {
  readonly count: number;
  readonly resolve: () => void;
}

export class Lives {
  #current = 0;
  #begun = Promise.withResolvers<number>();

  /** The emulator's next life has begun: it can be called. */
  begin(): void {
    this.#current += 1;
    this.#begun.resolve(this.#current);
    this.#begun = Promise.withResolvers();
  }

  /** The number of a life after `past`, as soon as there is one. */
  async after(past: number): Promise<number> {
    return this.#current > past ? this.#current : this.#begun.promise;
  }
}

export class Progress {
  #count = 0;
  #waiting: Waiting[] = [];

  get count(): number {
    return this.#count;
  }

  add(): void {
    this.#count += 1;
    const reached = this.#waiting.filter(({ count }) => count <= this.#count);
    this.#waiting = this.#waiting.filter(({ count }) => count > this.#count);
    for (const { resolve } of reached) resolve();
  }

  async reached(count: number): Promise<void> {
    if (count <= this.#count) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    await promise;
  }
}

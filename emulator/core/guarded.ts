/** Calls functions that others gave: what one of them throws harms nothing but itself. */

/** Called with what a function threw, or rejected with. Must not throw. */
export type OnDefect = (error: unknown) => void;

/** `listener` as a function that never throws: its errors, and the rejections of its promises, go to `onDefect`. */
export function guarded<A extends readonly unknown[]>(
  listener: (...args: A) => unknown,
  onDefect: OnDefect,
): (...args: A) => void {
  return (...args) => {
    try {
      const answer = listener(...args);
      if (isPromise(answer)) Promise.resolve(answer).catch(onDefect);
    } catch (error) {
      onDefect(error);
    }
  };
}

/** Calls `work` with each item; what one call throws keeps the others from nothing. */
export function forEachGuarded<T>(
  items: Iterable<T>,
  onDefect: OnDefect,
  work: (item: T) => void,
): void {
  for (const item of items) {
    try {
      work(item);
    } catch (error) {
      onDefect(error);
    }
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value;
}

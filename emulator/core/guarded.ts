/** Calls listeners so that an error in one of them harms nothing else. */

/** Receives the error of a function that threw, or the reason of its rejected promise. Must not throw. */
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

/** Calls `work` with every item, also after one of the calls has thrown. */
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

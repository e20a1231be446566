/** Gathers calls into one: during a call, the next one gathers. */

interface Gathering<T> extends PromiseWithResolvers<void> {
  readonly items: T[];
}

/** Returns a promise that resolves when the call with its item is answered. */
export function batchedCalls<T>(
  send: (items: readonly T[]) => Promise<unknown>,
): (item: T) => Promise<void> {
  let next: Gathering<T> | undefined;
  let isUnderWay = false;
  const sendAll = async (): Promise<void> => {
    if (isUnderWay) return;
    isUnderWay = true;
    for (let taken = next; taken !== undefined; taken = next) {
      next = undefined;
      await send(taken.items).then(() => taken.resolve(), taken.reject);
    }
    isUnderWay = false;
  };
  return (item) => {
    if (next === undefined) {
      next = { ...Promise.withResolvers<void>(), items: [] };
      setImmediate(() => void sendAll());
    }
    next.items.push(item);
    return next.promise;
  };
}

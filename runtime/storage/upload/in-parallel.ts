/** Works on the items of a source, several at a time, and takes the next one only when one is done. */

/**
 * Resolves when all items are done. When one fails, no further item is begun, and it rejects with that first failure
 * as soon as those under way have ended too.
 *
 * @param failed called at once at the first failure, so that the others can be ended
 */
export async function inParallel<T>(
  source: AsyncGenerator<T, void, undefined>,
  concurrency: number,
  each: (item: T) => Promise<void>,
  failed: () => void,
): Promise<void> {
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    try {
      while (failures.length === 0) {
        const step = await source.next();
        if (step.done === true || failures.length > 0) return;
        await each(step.value);
      }
    } catch (failure) {
      failures.push(failure);
      if (failures.length === 1) failed();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  if (failures.length === 0) return;
  await source.return();
  throw failures[0];
}

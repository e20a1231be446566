/** Works on the items of a source, several at a time. Takes the next item when one is done. */

/**
 * Resolves when all items are done. After a failure no further item is begun: it rejects with the first failure as soon as the
 * items that had begun have ended.
 *
 * @param failed called at the first failure, so that the caller can abort the other items
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

/** Keeps the process running while the emulator does something that a program waits for. */

/** The longest interval of a timer. */
const LONGEST_MS = 2_147_483_647;

/** An emulator of tests alone does not keep the process running. */
export async function holding<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, LONGEST_MS);
  return work.finally(() => clearInterval(timer));
}

/** When the last message of a worker came, in real time. */

export class WorkerContact {
  #lastAt: number;
  #wasMade = false;
  /** Messages that are being handled. */
  #underWay = 0;

  /** @param now the worker's start */
  constructor(now: number) {
    this.#lastAt = now;
  }

  /** When the last message came or was handled; the worker's start before the first one. */
  get lastAt(): number {
    return this.#lastAt;
  }

  get wasMade(): boolean {
    return this.#wasMade;
  }

  /** A message is being handled: those that come after it have to wait, which is no fault of the worker. */
  get isUnderWay(): boolean {
    return this.#underWay > 0;
  }

  /** A message came; `end` is to follow when it has been handled. */
  begin(now: number): void {
    this.#wasMade = true;
    this.#underWay += 1;
    this.#lastAt = now;
  }

  end(now: number): void {
    this.#underWay -= 1;
    this.#lastAt = now;
  }
}

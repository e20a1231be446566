/** What has to be undone when a step or a whole batch fails, and what to do once a batch is committed. */
export class StepJournal {
  readonly #undo: (() => void)[] = [];
  readonly #afterCommit: (() => void)[] = [];
  #undoMark = 0;
  #afterMark = 0;

  /** `takeBack` restores what the caller just changed; called newest first, and must not throw. */
  onUndo(takeBack: () => void): void {
    this.#undo.push(takeBack);
  }

  /** `finish` is called once the change is durable, in the order of the calls, and must not throw. */
  onCommit(finish: () => void): void {
    this.#afterCommit.push(finish);
  }

  keepStep(): void {
    this.#undoMark = this.#undo.length;
    this.#afterMark = this.#afterCommit.length;
  }

  undoStep(): void {
    this.#takeBackTo(this.#undoMark, this.#afterMark);
  }

  commit(): void {
    this.#undo.length = 0;
    this.#undoMark = 0;
    this.#afterMark = 0;
    for (const finish of this.#afterCommit.splice(0)) finish();
  }

  /** Takes back everything since the last commit. */
  abort(): void {
    this.#undoMark = 0;
    this.#afterMark = 0;
    this.#takeBackTo(0, 0);
  }

  #takeBackTo(undoLength: number, afterLength: number): void {
    while (this.#undo.length > undoLength) this.#undo.pop()?.();
    this.#afterCommit.length = afterLength;
  }
}

/**
 * The link to the thread of the store, which answers questions in order. If the thread ends, another thread opens the database
 * again and reports the batches in it.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { StoreClosedError, StoreUnusableError } from "../../../core/store-error.ts";
import type { Answers } from "./answers.ts";
import { giveBackThread, takeThread } from "./start-thread.ts";
import { fromThrown, type Thrown } from "./thrown.ts";

/** First message to a thread. */
export interface Opening {
  readonly directory: string;
  /** Whether another thread had the database open before. */
  readonly isAgain: boolean;
}

export type Question = readonly [name: string, ...asked: unknown[]];

/** The first reply contains the number of the last batch. */
export type Reply = { readonly answer: unknown } | { readonly thrown: Thrown };

interface Asked {
  readonly question: Question;
  readonly transferred: readonly ArrayBuffer[];
  readonly batch: number | undefined;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** Number of threads that received the question. */
  sent: number;
}

/** Maximum number of threads that one question may end. */
const MAX_SENT = 3;
/** Number of failed attempts to open the database after which questions are refused. */
const PATIENT_ATTEMPTS = 5;
const NEXT_ATTEMPT_MS = 500;

export class ThreadLink {
  readonly #directory: string;
  /** Undefined while no thread has the database open. */
  #worker: Worker | undefined;
  /** Questions without a reply, in order. */
  readonly #asked: Asked[] = [];
  /** Number of the last batch in the database. */
  #stored = 0;
  #starts = 0;
  /** Error for all questions while the database cannot be opened again. */
  #refusal: Error | undefined;
  #reopening: Promise<void> | undefined;
  #isClosed = false;
  readonly #closing = new AbortController();

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** @throws what `openDatabase` throws */
  static async open(directory: string): Promise<ThreadLink> {
    const link = new ThreadLink(directory);
    link.#stored = await link.#start(false);
    return link;
  }

  get stored(): number {
    return this.#stored;
  }

  get starts(): number {
    return this.#starts;
  }

  get isBusy(): boolean {
    return this.#asked.length > 0;
  }

  ask<K extends keyof Answers>(
    name: K,
    ...asked: Parameters<Answers[K]>
  ): Promise<ReturnType<Answers[K]>> {
    return this.#enqueue([name, ...asked], undefined, []) as Promise<ReturnType<Answers[K]>>;
  }

  /** @param batch transferred: the caller loses it */
  async flush(number: number, batch: ArrayBuffer): Promise<ReturnType<Answers["flush"]>> {
    const answer = await this.#enqueue(["flush", batch], number, [batch]);
    const stored = answer as ReturnType<Answers["flush"]>;
    this.#stored = stored.batch;
    return stored;
  }

  /** Closes the database, without waiting if it cannot be opened again. */
  async close(): Promise<void> {
    const asked = this.ask("close");
    this.#isClosed = true;
    this.#closing.abort();
    const isOpen = await asked.then(
      () => true,
      (error: unknown) => {
        if (this.#refusal === undefined) throw error;
        return false;
      },
    );
    await this.#reopening;
    const worker = this.#worker;
    if (!isOpen || worker === undefined) return this.#abandon();
    this.#worker = undefined;
    await giveBackThread(worker);
  }

  #enqueue(
    question: Question,
    batch: number | undefined,
    transferred: readonly ArrayBuffer[],
  ): Promise<unknown> {
    if (this.#refusal) return Promise.reject(this.#refusal);
    if (this.#isClosed) return Promise.reject(new StoreClosedError());
    return new Promise((resolve, reject) => {
      const asked = { question, transferred, batch, resolve, reject, sent: 0 };
      if (this.#worker !== undefined) {
        this.#send(asked, this.#worker);
        if (this.#asked.length === 0) this.#worker.ref();
      }
      this.#asked.push(asked);
    });
  }

  #send(asked: Asked, worker: Worker): void {
    asked.sent += 1;
    worker.postMessage(asked.question, asked.transferred);
  }

  #hear(reply: Reply): void {
    const asked = this.#asked.shift();
    if (this.#asked.length === 0) this.#worker?.unref();
    if ("answer" in reply) asked?.resolve(reply.answer);
    else asked?.reject(fromThrown(reply.thrown));
  }

  /** Starts a thread. Returns the number of the last batch in the database. */
  async #start(isAgain: boolean): Promise<number> {
    this.#starts += 1;
    const worker = takeThread();
    const failure = Promise.withResolvers<Error>();
    worker.once("error", failure.resolve);
    worker.once("exit", (code) =>
      failure.resolve(new StoreUnusableError(`the thread of the store ended with code ${code}`)),
    );
    const first = Promise.withResolvers<Reply>();
    worker.once("message", first.resolve);
    const opening: Opening = { directory: this.#directory, isAgain };
    worker.postMessage(opening, []);
    const reply = await Promise.race([first.promise, failure.promise]);
    if (reply instanceof Error) throw reply;
    if ("thrown" in reply) throw fromThrown(reply.thrown);
    worker.on("message", (next: Reply) => {
      if (this.#worker === worker) this.#hear(next);
    });
    worker.once("exit", () => {
      if (this.#worker === worker)
        this.#reopening = failure.promise.then((ended) => this.#goOn(ended));
    });
    if (this.#asked.length === 0) worker.unref();
    this.#worker = worker;
    return Number(reply.answer);
  }

  /** Starts further threads after one has ended, until the database is open or the store is closed. */
  async #goOn(ended: Error): Promise<void> {
    this.#worker = undefined;
    if (this.#isClosed && !this.isBusy) return;
    const reason = new StoreUnusableError(ended.message, { cause: ended });
    for (let attempt = 1; ; attempt += 1) {
      try {
        const stored = await this.#start(true);
        if (this.#isClosed && !this.isBusy) return;
        this.#settle(stored, reason);
        return;
      } catch (error) {
        await this.#abandon();
        if (attempt >= PATIENT_ATTEMPTS || this.#isClosed) this.#refuse(error);
      }
      if (this.#isClosed) return;
      const { signal } = this.#closing;
      await delay(NEXT_ATTEMPT_MS, undefined, { ref: this.isBusy, signal }).catch(() => undefined);
    }
  }

  async #abandon(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  /** Settles the batches under way that are stored, and asks the other questions again. */
  #settle(stored: number, reason: Error): void {
    if (stored < this.#stored)
      throw new StoreUnusableError(`the database has only ${stored} of ${this.#stored} batches`);
    const underWay = this.#asked.filter(({ sent }) => sent > 0).map(({ batch = 0 }) => batch);
    // The engine considers the batch as refused, but a stored batch cannot be undone.
    if (stored > Math.max(this.#stored, ...underWay))
      throw new StoreUnusableError("it contains a batch that was refused; restart the emulator");
    this.#stored = stored;
    this.#refusal = undefined;
    for (const asked of this.#asked.splice(0)) {
      const { batch, sent } = asked;
      if (sent === 0 || (batch === undefined && sent < MAX_SENT)) this.#asked.push(asked);
      else if (batch !== undefined && batch <= stored)
        asked.resolve({ batch: stored, commitMs: 0, dropped: [] });
      else asked.reject(reason);
    }
    const worker = this.#worker;
    if (worker === undefined) return;
    for (const asked of this.#asked) this.#send(asked, worker);
    if (this.#asked.length === 0) worker.unref();
  }

  /** Refuses all questions under way, and later ones at once. */
  #refuse(reason: unknown): void {
    const said = reason instanceof Error ? reason.message : String(reason);
    const message = `the database could not be opened again (${said}); the service keeps trying`;
    this.#refusal = new StoreUnusableError(message, { cause: reason });
    for (const { reject } of this.#asked.splice(0)) reject(this.#refusal);
  }
}

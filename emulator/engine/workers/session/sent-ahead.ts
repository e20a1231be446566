/** The input that a worker was sent ahead of its job: of one job at a time, and within one session. */
import type { InputAhead, ServiceOrders } from "../../../../runtime/protocol/session.ts";

type Send = (orders: ServiceOrders) => Promise<void> | undefined | void;

interface Sent {
  readonly jobId: string;
  /** The other payload of the job. */
  readonly s3Config: Uint8Array | undefined;
}

export class SentAhead {
  readonly #session: () => Send | undefined;
  #newest: Sent | undefined;
  #hasArrived = false;

  /** @param session sends orders in the present session */
  constructor(session: () => Send | undefined) {
    this.#session = session;
  }

  /** Sends the input of a waiting job in place of the one before. Resolves when it takes no memory here any more. */
  async send(ahead: InputAhead, s3Config: Uint8Array | undefined): Promise<void> {
    const send = this.#session();
    if (send === undefined) return;
    const sent = { jobId: ahead.jobId, s3Config };
    [this.#newest, this.#hasArrived] = [sent, false];
    await send({ inputAhead: ahead });
    this.#hasArrived ||= this.#newest === sent && send === this.#session();
  }

  /** The payloads of the job for its hand-over, if the worker has its whole input. */
  take(jobId: string) {
    if (!this.#hasArrived || this.#newest?.jobId !== jobId) return undefined;
    const { s3Config } = this.#newest;
    this.forget();
    return { input: new Uint8Array(), s3Config, inputIsAhead: true } as const;
  }

  /** Call it when a session begins: its worker has nothing. */
  forget(): void {
    [this.#newest, this.#hasArrived] = [undefined, false];
  }
}

/** One connection. Statements are sent without waiting for the answers to those before; they are answered in their order. */
import net from "node:net";
import { Client, type ClientConfig, type QueryResult } from "pg";
import { isConnectionLoss, isConsequence, StandbyError } from "./postgres-error.ts";
import type { Settings } from "./settings.ts";

const END_MS = 1_000;

export interface Statement {
  /** Given, the server plans it once for each connection. Always of the same text. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /** True: its rows are names of large payloads that lose a row; null among them says nothing. */
  readonly answersNames?: true;
}

/** A value as `TYPE_PARSERS` reads it. */
export type Cell = number | string | Buffer<ArrayBuffer> | null;

/** The values of each row, in the order of the columns. */
export type Answer = QueryResult<Cell[]>;

export class Session {
  readonly #client: Client;
  readonly #socket: net.Socket;
  /** It is given up when the answer to `ask` takes longer. */
  answerMs: number;
  #isBroken = false;
  /** Hears once that it is lost; it can be when it was made. */
  #onLost: ((error: unknown) => void) | undefined;

  private constructor(client: Client, socket: net.Socket, answerMs: number) {
    this.answerMs = answerMs;
    this.#client = client;
    this.#socket = socket;
    client.on("error", (error) => this.#lose(error));
    client.on("end", () => void (this.#isBroken = true));
  }

  /**
   * One to the server that can be written to. All are tried at once: one whose machine is gone answers nothing.
   *
   * @param answerMs it is given up when an answer takes longer. Throws what `pg` throws, StandbyError.
   * @param onLost hears why it was lost, unless it was ended or dropped for another reason
   */
  static async open(
    { servers }: Settings,
    answerMs: number,
    onLost: (error: unknown) => void,
  ): Promise<Session> {
    const session = await Session.#first(servers, answerMs);
    session.#onLost = onLost;
    return session;
  }

  static async #first(servers: readonly ClientConfig[], answerMs: number): Promise<Session> {
    const [only] = servers;
    if (only !== undefined && servers.length === 1) return Session.#connect(only, answerMs);
    const connecting = servers.map((server) => Session.#connect(server, answerMs));
    const first = await Promise.any(connecting);
    for (const each of connecting)
      each.then(
        (session) => session === first || session.drop(),
        () => undefined,
      );
    return first;
  }

  static async #connect(server: ClientConfig, answerMs: number): Promise<Session> {
    const socket = new net.Socket();
    const own = { query_timeout: answerMs, pipeline: true, stream: () => socket };
    const client = new Client({ ...server, ...own });
    const session = new Session(client, socket, answerMs);
    try {
      await client.connect();
      const { rows } = await session.ask({ text: "SELECT pg_is_in_recovery()::text" });
      if (rows[0]?.[0] === "true") throw new StandbyError();
    } catch (error) {
      session.drop();
      throw error;
    }
    return session;
  }

  /** Of the server's process that serves it. */
  get pid(): number | undefined {
    // Not among the types of `pg`.
    return (this.#client as { readonly processID?: number }).processID;
  }

  /** Whether it is known to be of no use any more. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  ask({ name, text, values }: Statement): Promise<Answer> {
    const named = name === undefined ? {} : { name };
    const given = values === undefined ? [] : [...values];
    const sent = { ...named, text, values: given, query_timeout: this.answerMs };
    return this.#client.query({ ...sent, rowMode: "array" });
  }

  /** Runs statements that answer nothing, with semicolons between them. */
  async run(sql: string): Promise<void> {
    await this.#client.query(sql);
  }

  /** Calls `hear` with what anybody says on the channel from now on. */
  async listen(channel: string, hear: (words: string) => void): Promise<void> {
    this.#client.on("notification", ({ payload = "" }) => hear(payload));
    await this.#client.query(`LISTEN ${channel}`);
  }

  /** Sends them all at once. @throws the error of the first that failed, once all are answered */
  async askAll(statements: readonly Statement[]): Promise<readonly Answer[]> {
    this.#socket.cork();
    const asked = statements.map((statement) => this.ask(statement));
    this.#socket.uncork();
    const settled = await Promise.allSettled(asked);
    const failed = settled.filter((one) => one.status === "rejected");
    const first = failed.find(({ reason }) => !isConsequence(reason)) ?? failed[0];
    if (first !== undefined) throw first.reason;
    return settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  }

  /** Once what is under way is answered, and after `last`; a server that does not answer is not waited for long. */
  async end(last: () => Promise<unknown> = async () => undefined): Promise<void> {
    if (this.#isBroken) return;
    const late = setTimeout(() => this.drop(), END_MS);
    await last().catch(() => undefined);
    await this.#client.end().catch(() => undefined);
    clearTimeout(late);
    this.drop();
  }

  /**
   * At once: whether the server has done what is under way is not known.
   *
   * @param because what failed on it, if anything did
   */
  drop(because?: unknown): void {
    this.#lose(because);
    this.#socket.destroy();
  }

  #lose(because: unknown): void {
    const onLost = this.#onLost;
    this.#isBroken = true;
    this.#onLost = undefined;
    if (isConnectionLoss(because)) onLost?.(because);
  }
}

/** One connection. Statements are sent without waiting for earlier answers. Answers come in the same order. */
import net from "node:net";
import { Client, type ClientConfig, type QueryResult } from "pg";
import { isConnectionLoss, isConsequence, StandbyError } from "./postgres-error.ts";
import type { Cell } from "../values/columns.ts";
import type { Settings } from "./settings.ts";

const END_MS = 1_000;

export interface Statement {
  /** A named statement is planned once for each connection. A name always has the same text. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  /** The rows are names of large payloads that lose a row. Null means no name. */
  readonly answersNames?: true;
}

/** The values of each row, in the order of the columns. */
export type Answer = QueryResult<Cell[]>;

/** Runs a question on a connection that no other question uses meanwhile. */
export type Ask = <T>(question: (session: Session) => Promise<T>) => Promise<T>;

export class Session {
  readonly #client: Client;
  readonly #socket: net.Socket;
  /** Timeout of the answer to `ask`, after which the connection is lost. */
  answerMs: number;
  #isBroken = false;
  /** Called once, when the connection is lost. */
  #onLost: ((error: unknown) => void) | undefined;

  private constructor(client: Client, socket: net.Socket, answerMs: number) {
    this.answerMs = answerMs;
    this.#client = client;
    this.#socket = socket;
    client.on("error", (error) => this.#lose(error));
    client.on("end", () => void (this.#isBroken = true));
  }

  /**
   * Connects to the server that accepts writes. All servers are tried at once, because an unreachable machine does not answer.
   * Throws what `pg` throws, StandbyError.
   *
   * @param answerMs timeout of an answer
   * @param onLost called with the reason when the connection is lost, unless it was ended or dropped for another reason
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

  /** Id of the server process of the connection. */
  get pid(): number | undefined {
    // The types of `pg` lack this property.
    return (this.#client as { readonly processID?: number }).processID;
  }

  /** Whether the connection is known to be lost or ended. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  ask({ name, text, values }: Statement): Promise<Answer> {
    const named = name === undefined ? {} : { name };
    const given = values === undefined ? [] : [...values];
    const sent = { ...named, text, values: given, query_timeout: this.answerMs };
    return this.#client.query({ ...sent, rowMode: "array" });
  }

  /** Runs statements without answers, separated by semicolons. */
  async run(sql: string): Promise<void> {
    await this.#client.query(sql);
  }

  /** Calls `hear` with all notices on the channel from now on. */
  async listen(channel: string, hear: (words: string) => void): Promise<void> {
    this.#client.on("notification", ({ payload = "" }) => hear(payload));
    await this.#client.query(`LISTEN ${channel}`);
  }

  /** Sends all statements at once. @throws the error of the first failed one, after all are answered */
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

  /** Ends the connection after the answers under way and after `last`. Does not wait long for a silent server. */
  async end(last: () => Promise<unknown> = async () => undefined): Promise<void> {
    if (this.#isBroken) return;
    const late = setTimeout(() => this.drop(), END_MS);
    await last().catch(() => undefined);
    await this.#client.end().catch(() => undefined);
    clearTimeout(late);
    this.drop();
  }

  /**
   * Ends the connection at once. It is then unknown whether the server has finished the work under way.
   *
   * @param because error of the connection, if there was one
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

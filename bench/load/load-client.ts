/** The benchmark's side of the load client, which runs in a process of its own. */
import { z } from "zod";
import { Program } from "../asking.ts";
import { type Churn, type ChurnResult, churnResultShape } from "./churn.ts";
import { type Load, type LoadResult, loadResultShape } from "./closed-loop.ts";
import type { Request } from "./connections.ts";
import { type Followed, followedShape } from "./follow.ts";

/** Target and kind of the requests. */
export interface Subject {
  readonly origin: string;
  readonly request: Request;
}

export class LoadClient implements AsyncDisposable {
  readonly #program = new Program("load-client");

  get pid(): number {
    return this.#program.pid;
  }

  /**
   * @param subject the request; of several, each connection gets one in turn @param expected text that every answer must contain
   */
  async load(
    subject: Subject | readonly Subject[],
    load: Load,
    expected: string,
  ): Promise<LoadResult> {
    const subjects = [subject].flat();
    return this.#program.ask(loadResultShape, { kind: "load", subjects, load, expected });
  }

  /** Follows the streams of this number of jobs, one after another. */
  async follow(subject: Subject, times: number): Promise<readonly Followed[]> {
    return this.#program.ask(z.array(followedShape), { kind: "follow", ...subject, times });
  }

  async churn(subject: Subject, connections: number, churn: Churn): Promise<ChurnResult> {
    return this.#program.ask(churnResultShape, { kind: "churn", ...subject, connections, churn });
  }

  /** Closes the connections to a server that is about to end. */
  async leave(origin: string): Promise<void> {
    await this.#program.ask(z.null(), { kind: "leave", origin });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program[Symbol.asyncDispose]();
  }
}

/** Notes what a client calls in its test, and holds it against what is said of it in `plays.ts`. */
import { expect, test } from "vitest";
import { operationIdAt } from "../http/documented.ts";
import type { Play } from "./plays.ts";

export interface NotedCall {
  readonly method: string;
  /** Behind `/live`, with its query. */
  readonly path: string;
}

export class Playing {
  readonly #play: Play;
  readonly #calls = new Set<string>();

  constructor(play: Play) {
    this.#play = play;
  }

  /** What the client calls that is not there is no operation of anybody's. */
  note({ method, path }: NotedCall): void {
    const id = operationIdAt(method, `/live${path}`);
    // By another method, or at another path, the same is called.
    if (id !== undefined) this.#calls.add(id.replace(/By(?:Get|Post|Put|Patch)$/u, ""));
  }

  noteOperations(names: readonly string[]): void {
    for (const name of names) this.#calls.add(name);
  }

  /** To be called at the end of the file: its last test. */
  ends(): void {
    const { client, file, calls } = this.#play;
    test(`${client} has called all that the documentation says of ${file}, and nothing else`, () => {
      expect([...this.#calls].toSorted()).toEqual(calls.toSorted());
    });
  }
}

/** A client of the service itself, loaded and opened when it is first used. */
import type { Client } from "../../runtime/client/client.ts";

export class LazyClient {
  readonly #baseUrl: string;
  readonly #apiKey: string | undefined;
  #client: Promise<Client> | undefined;

  constructor(baseUrl: string, apiKey: string | undefined) {
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey;
  }

  /** Rejects where the key is not known. */
  opened(): Promise<Client> {
    this.#client ??= this.#open();
    return this.#client;
  }

  async close(): Promise<void> {
    await this.#client?.then(
      (client) => client.close(),
      () => undefined,
    );
  }

  async #open(): Promise<Client> {
    if (this.#apiKey === undefined)
      throw new Error(
        "the data directory keeps its API key to itself: give apiKey to startEmulator",
      );
    const { createClient } = await import("../../runtime/client/client.ts");
    return createClient({ baseUrl: this.#baseUrl, apiKey: this.#apiKey });
  }
}

/** `createClient`: one pool of connections to one service, and the endpoints behind it. */
import { EndpointClient } from "./endpoint.ts";
import type { ChunkOf, InputOf, OutputOf } from "./handler-types.ts";
import { ConfigurationError } from "./errors/errors.ts";
import { readOptions, type ClientOptions } from "./options.ts";
import { Transport } from "./transport.ts";

/**
 * A client of one service. Close it at the end, or bind it with `await using`. Idle connections do not keep a process alive;
 * unfinished waits and streams do.
 */
export class Client implements AsyncDisposable {
  readonly #transport: Transport;
  readonly #endpointId: string | undefined;

  /** Made by `createClient`. */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(readOptions(options));
    this.#endpointId = options.endpointId;
  }

  /**
   * The endpoint `id`. Nothing is sent: a missing endpoint shows with the first call. The type parameters are the types of its
   * handler. The first may be the handler's own type, `endpoint<typeof handler>("greeter")` or `endpoint<typeof
   * import("./greeter/handler.ts")>("greeter")`, which includes the others. They are not checked.
   * @param id default: the client's `endpointId`
   * @throws ConfigurationError when there is neither
   */
  endpoint<
    HandlerOrInput = unknown,
    Output = OutputOf<HandlerOrInput>,
    Chunk = ChunkOf<HandlerOrInput>,
  >(
    id: string | undefined = this.#endpointId,
  ): EndpointClient<InputOf<HandlerOrInput>, Output, Chunk> {
    if (id === undefined || id === "") {
      throw new ConfigurationError(
        "The endpoint is missing: pass its id to endpoint(), or endpointId to createClient().",
      );
    }
    return new EndpointClient(this.#transport, id);
  }

  /** Closes the connections. Unfinished calls and streams end with a ClientClosedError. Jobs go on. Idempotent. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * A client of the job interface.
 *
 * @throws ConfigurationError when an option cannot work
 * @example
 * await using client = createClient({ apiKey });
 * const hello = client.endpoint<typeof handler>("hello"); // import type handler from "./hello/handler.ts"
 * const { output } = await hello.runSync({ name: "Ada" });
 */
export function createClient(options: ClientOptions = {}): Client {
  return new Client(options);
}

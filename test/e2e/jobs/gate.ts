/** A gate at which handlers of the fixture waits-at-a-gate wait until a test opens it. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Visitor {
  readonly jobId: string;
  readonly response: ServerResponse;
}

export class Gate implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    const name = (request.url ?? "").slice(1);
    const jobId = String(request.headers["x-job-id"]);
    this.names.push(name);
    // A later attempt replaces one that has gone.
    if (this.#gone.delete(name)) this.#visits.delete(name);
    this.#visit(name).resolve({ jobId, response });
    response.once("close", () => void (response.writableEnded || this.#gone.add(name)));
  });
  readonly #gone = new Set<string>();
  readonly #visits = new Map<string, PromiseWithResolvers<Visitor>>();
  /** All visitors in their order. */
  readonly names: string[] = [];

  static async build(): Promise<Gate> {
    const gate = new Gate();
    gate.#server.listen(0, "127.0.0.1");
    await once(gate.#server, "listening");
    return gate;
  }

  /** Input of a job that waits at the gate under this name. */
  input(name: string): { readonly gate: string } {
    const { port } = this.#server.address() as AddressInfo;
    return { gate: `http://127.0.0.1:${port}/${name}` };
  }

  /** Id of the job at the gate under this name; waits until it arrives. */
  async arrival(name: string): Promise<string> {
    return (await this.#visit(name).promise).jobId;
  }

  /** Lets the job continue when it is at the gate; its output is then `text`. */
  async open(name: string, text = "through"): Promise<void> {
    await this.#answer(name, 200, text);
  }

  /** Makes the job fail when it is at the gate. */
  async turnAway(name: string): Promise<void> {
    await this.#answer(name, 403, "turned away");
  }

  /** Closes the connections of calls that still wait at the gate. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(name: string, status: number, text: string): Promise<void> {
    const { response } = await this.#visit(name).promise;
    this.#visits.delete(name);
    // The next visitor with this name does not replace this one, even if it leaves before its answer.
    this.#gone.delete(name);
    response.writeHead(status, { connection: "close" }).end(text);
  }

  #visit(name: string): PromiseWithResolvers<Visitor> {
    const known = this.#visits.get(name);
    if (known !== undefined) return known;
    const visit = Promise.withResolvers<Visitor>();
    this.#visits.set(name, visit);
    return visit;
  }
}

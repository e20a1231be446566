/** A debugger like an editor's: it attaches to the inspector's port, sees the program pause, and lets it continue. */
import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly result?: { readonly value?: unknown } };
  readonly params?: { readonly callFrames?: readonly { readonly callFrameId: string }[] };
}

/** `127.0.0.1` with a port that was free a moment ago. */
export async function freeAddress(): Promise<string> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  assert(typeof address === "object" && address !== null);
  return `127.0.0.1:${address.port}`;
}

/** Disposing of it detaches; a paused program continues. */
export class DebuggerClient implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (message: Message) => void>();
  /** Pauses that no caller has waited for yet, and callers that wait for one. */
  readonly #stops: Message[] = [];
  readonly #waiting: ((stop: Message) => void)[] = [];
  #callFrameId: string | undefined;
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      // The inspector's protocol is JSON.
      this.#receive(JSON.parse(String(data)) as Message);
    });
  }

  /** The program must have begun to listen at the address. */
  static async attach(address: string): Promise<DebuggerClient> {
    const list = await fetch(`http://${address}/json/list`);
    // As documented by Node.
    const [target] = (await list.json()) as { readonly webSocketDebuggerUrl: string }[];
    const socket = new WebSocket(target?.webSocketDebuggerUrl ?? "");
    await once(socket, "open");
    const client = new DebuggerClient(socket);
    await client.#ask("Debugger.enable");
    return client;
  }

  /** Resolves when the program pauses; each pause is reported once. */
  async stopped(): Promise<void> {
    const stop = this.#stops.shift() ?? (await this.#nextStop());
    this.#callFrameId = stop.params?.callFrames?.[0]?.callFrameId;
  }

  /** Value of an expression, in the frame of the pause or, while the program runs, in none. */
  async evaluate(expression: string): Promise<unknown> {
    const asked = { expression, returnByValue: true };
    const callFrameId = this.#callFrameId;
    const { result } =
      callFrameId === undefined
        ? await this.#ask("Runtime.evaluate", asked)
        : await this.#ask("Debugger.evaluateOnCallFrame", { ...asked, callFrameId });
    return result?.result?.value;
  }

  /** Pauses the program for this time, by the program's own clock. */
  async linger(ms: number): Promise<void> {
    await this.evaluate(`Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms})`);
  }

  async resume(): Promise<void> {
    this.#callFrameId = undefined;
    await this.#ask("Debugger.resume");
  }

  /** The pause button. */
  async pause(): Promise<void> {
    await this.#ask("Debugger.pause");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.#socket, "close");
    this.#socket.close();
    await closed;
  }

  #nextStop(): Promise<Message> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #ask(method: string, params: object = {}): Promise<Message> {
    this.#lastId++;
    const id = this.#lastId;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  #receive(message: Message): void {
    if (message.id !== undefined) {
      this.#answers.get(message.id)?.(message);
      this.#answers.delete(message.id);
    } else if (message.method === "Debugger.paused") {
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#stops.push(message);
      else waiting(message);
    }
  }
}

/** A proxy between a client and a server, which cuts them off from each other in chosen ways. */
import { once } from "node:events";
import net from "node:net";
import { type LineTerms, SlowLine } from "./slow-line.ts";

type Fate = "pass" | "cut-before" | "cut-reply" | "lose";

export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Address with the port. */
  readonly address: string;
  /**
   * Decides the fate of the next connection that sends `words`. `cut-before` keeps them from the server. `cut-reply` passes
   * them on and cuts the connection instead of the reply. `lose` passes on everything before them and a few more bytes, and
   * then nothing in either direction, not even that the client gives up. Resolves when that was done, or the connection ended
   * before.
   * @param tag end of PostgreSQL's reply to the words, as `INSERT 0 1`; default: the words themselves, as `COMMIT`
   */
  cutAt(words: string, fate: Exclude<Fate, "pass">, tag?: string): Promise<void>;
  /** Cuts all connections, and refuses new ones until `open`. */
  close(): void;
  open(): Promise<void>;
  /** Sends new connections to that port from now on; open ones are cut. */
  leadTo(port: number): void;
  /** Passes nothing on from now on; no connection ends by itself. */
  fallSilent(): void;
  /** Acts like a cut network: data sent from now on arrives after `letGo`, also on new connections. */
  hold(): void;
  /** Blocks after clients have sent this number of bytes. Resolves then. */
  holdAfter(bytes: number): Promise<void>;
  letGo(): void;
  /** Lets new connections share a line of that bandwidth and latency, one in each direction. */
  slowDown(terms: LineTerms): void;
}

interface Cut {
  readonly words: string;
  readonly fate: Fate;
  readonly tag: string;
  readonly done: () => void;
}

/** @param host its listening address */
export async function startTcpProxy(targetPort: number, host = "127.0.0.1"): Promise<TcpProxy> {
  let cut: Cut | undefined;
  let holding: { left: number; readonly done: () => void } | undefined;
  const sockets = new Set<net.Socket>();
  let isSilent = false;
  let isHeld = false;
  let lines: { readonly up: SlowLine; readonly down: SlowLine } | undefined;
  let leadsTo = targetPort;
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    const target = net.connect({ port: leadsTo, host: "127.0.0.1", allowHalfOpen: true });
    let isMuted = false;
    let isLost = false;
    const line = lines;
    const both = [client, target];
    const end = () => {
      client.destroy();
      if (!isLost) target.destroy();
    };
    for (const socket of both) {
      sockets.add(socket);
      if (isHeld) socket.pause();
      socket.on("error", end).on("close", end);
      socket.once("close", () => sockets.delete(socket));
      socket.on("end", () => {
        if (isSilent) return;
        if (line === undefined) end();
        else (socket === client ? line.up : line.down).behind(end);
      });
    }
    client.on("data", (bytes) => {
      if (isSilent || isLost) return;
      const met = cut?.words !== undefined && bytes.includes(cut.words) ? cut : undefined;
      if (met !== undefined) cut = undefined;
      if (met?.fate === "cut-before") {
        end();
        met.done();
        return;
      }
      if (met?.fate === "lose") {
        isMuted = true;
        isLost = true;
        // Number of bytes after which PostgreSQL has begun to process the words.
        target.write(bytes.subarray(0, bytes.indexOf(met.words) + met.words.length + 5));
        met.done();
        return;
      }
      if (met !== undefined) {
        isMuted = true;
        client.once("close", met.done);
        // The server answers all statements sent together, and a failed transaction with another word.
        target.on("data", (reply) => {
          if (reply.includes(`${met.tag}\0`) || reply.includes("ROLLBACK\0")) end();
        });
      }
      if (line === undefined) target.write(bytes);
      else line.up.carry(client, bytes, (arrived) => target.write(arrived));
      if (holding === undefined) return;
      holding.left -= bytes.length;
      if (holding.left > 0) return;
      hold();
      holding.done();
      holding = undefined;
    });
    target.on("data", (bytes) => {
      if (isMuted || isSilent) return;
      if (line === undefined) client.write(bytes);
      else line.down.carry(target, bytes, (arrived) => client.write(arrived));
    });
  });
  const listen = async (port: number) => {
    server.listen(port, host);
    await once(server, "listening");
  };
  await listen(0);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it listens on no port");
  const { port } = address;
  const hold = () => {
    isHeld = true;
    for (const socket of sockets) socket.pause();
  };
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    address: `${host}:${port}`,
    cutAt: (words, fate, tag = words) => new Promise((done) => (cut = { words, fate, tag, done })),
    close,
    open: () => listen(port),
    leadTo(other) {
      leadsTo = other;
      for (const socket of sockets) socket.destroy();
    },
    fallSilent: () => (isSilent = true),
    hold,
    holdAfter: (bytes) => new Promise((done) => (holding = { left: bytes, done })),
    letGo() {
      isHeld = false;
      for (const socket of sockets) socket.resume();
    },
    slowDown: (terms) => (lines = { up: new SlowLine(terms), down: new SlowLine(terms) }),
    async [Symbol.asyncDispose]() {
      close();
    },
  };
}

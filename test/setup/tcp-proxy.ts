/** Stands between a client and a server, and cuts them off from each other in chosen ways. */
import { once } from "node:events";
import net from "node:net";

type Fate = "pass" | "cut-before" | "cut-reply" | "lose";

export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** With the port. */
  readonly address: string;
  /**
   * What becomes of the next connection that sends `words`: `cut-before` keeps them from the server, `cut-reply` passes them on
   * and cuts the connection in place of the reply, `lose` passes on what came up to them and a few bytes, and then nothing
   * in either direction, not even that the client gives it up. Resolves when that was done.
   */
  cutAt(words: string, fate: Exclude<Fate, "pass">): Promise<void>;
  /** Cuts all connections, and refuses new ones until `open`. */
  close(): void;
  open(): Promise<void>;
  /** New connections go to that port from now on; those that are there are cut. */
  leadTo(port: number): void;
  /** From now on nothing is passed on any more, and no connection ends by itself. */
  fallSilent(): void;
  /** As a network that is cut: what is sent from now on arrives after `letGo`, also over new connections. */
  hold(): void;
  /** Holds as soon as clients have sent so many bytes from now on. Resolves when it does. */
  holdAfter(bytes: number): Promise<void>;
  letGo(): void;
}

/** @param host the address that it listens at */
export async function startTcpProxy(targetPort: number, host = "127.0.0.1"): Promise<TcpProxy> {
  let cut: { readonly words: string; readonly fate: Fate; readonly done: () => void } | undefined;
  let holding: { left: number; readonly done: () => void } | undefined;
  const sockets = new Set<net.Socket>();
  let isSilent = false;
  let isHeld = false;
  let leadsTo = targetPort;
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    const target = net.connect({ port: leadsTo, host: "127.0.0.1", allowHalfOpen: true });
    let isMuted = false;
    let isLost = false;
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
      socket.on("end", () => isSilent || end());
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
        // Enough for PostgreSQL to have begun with what the words are of.
        target.write(bytes.subarray(0, bytes.indexOf(met.words) + met.words.length + 5));
        met.done();
        return;
      }
      if (met !== undefined) {
        isMuted = true;
        // The server answers all that it was sent together, and a transaction that failed with another word.
        target.on("data", (reply) => {
          if (!reply.includes(`${met.words}\0`) && !reply.includes("ROLLBACK\0")) return;
          end();
          met.done();
        });
      }
      target.write(bytes);
      if (holding === undefined) return;
      holding.left -= bytes.length;
      if (holding.left > 0) return;
      hold();
      holding.done();
      holding = undefined;
    });
    target.on("data", (bytes) => {
      if (!isMuted && !isSilent) client.write(bytes);
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
    cutAt: (words, fate) => new Promise((done) => (cut = { words, fate, done })),
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
    async [Symbol.asyncDispose]() {
      close();
    },
  };
}

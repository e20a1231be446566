/** One connection of a hostile peer: its bytes, the port, and how it leaves. */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import tls from "node:tls";
import { SeededRandom } from "../crash/seeded-random.ts";
import {
  type Caller,
  damaged,
  http2Frames,
  httpRequest,
  noise,
  pick,
  PREFACE,
  tlsRecord,
  workerFrames,
} from "./raw-bytes.ts";

/** Ports for a peer, and the secrets it knows. */
export interface Ports {
  readonly clients: number;
  readonly objects: number;
  readonly workers: number;
  readonly workerSocket: string;
  readonly key: string;
  readonly caller: Caller;
  /** The first message of a TLS client. */
  readonly hello: Buffer;
}

/** Time for which a waiting peer stays, ms. */
const STAYS_MS = 30;

/** Timeout of a TLS handshake, after which the case continues without it, ms. */
const TLS_MS = 5_000;

type Kind = (random: SeededRandom, ports: Ports) => Promise<net.Socket>;

const connect = (to: net.NetConnectOpts): net.Socket =>
  net
    .connect(to)
    .on("error", () => undefined)
    .on("data", () => undefined);

const toPort = (port: number) => connect({ host: "127.0.0.1", port });

type MakeFrames = (random: SeededRandom, caller: Caller | undefined) => readonly Buffer[];

const http2: MakeFrames = (random, caller) => [PREFACE, ...http2Frames(random, caller)];

function sendFrames(
  random: SeededRandom,
  socket: net.Socket,
  { caller }: Ports,
  make: MakeFrames = http2,
): void {
  const frames = make(random, random.integer(0, 1) === 0 ? caller : undefined);
  const bytes = frames.map((each) => (random.integer(0, 19) === 0 ? damaged(random, each) : each));
  // The bytes go in one packet, or in several.
  if (random.integer(0, 1) === 0) socket.write(Buffer.concat(bytes));
  else for (const each of bytes) socket.write(each);
}

const KINDS: Readonly<Record<string, Kind>> = {
  async tlsAtWorkers(random, { workers, hello }) {
    const socket = toPort(workers);
    const first = pick(random, [
      hello,
      damaged(random, hello),
      tlsRecord(random),
      noise(random, 99),
      PREFACE,
    ]);
    socket.write(
      Buffer.concat([first, random.integer(0, 1) === 0 ? tlsRecord(random) : noise(random, 9)]),
    );
    return socket;
  },
  async framesAtWorkers(random, ports) {
    const secure = tls.connect({
      ...{ host: "127.0.0.1", port: ports.workers },
      ...{ rejectUnauthorized: false, ALPNProtocols: random.integer(0, 9) > 0 ? ["h2"] : [] },
    });
    secure.on("error", () => undefined).on("data", () => undefined);
    await once(secure, "secureConnect", { signal: AbortSignal.timeout(TLS_MS) }).catch(
      () => undefined,
    );
    sendFrames(random, secure, ports);
    return secure;
  },
  async framesAtSocket(random, ports) {
    const socket = connect({ path: ports.workerSocket });
    sendFrames(random, socket, ports);
    return socket;
  },
  async workersAtSocket(random, ports) {
    const socket = connect({ path: ports.workerSocket });
    sendFrames(random, socket, ports, workerFrames);
    return socket;
  },
  async requestsAtClients(random, ports) {
    const socket = toPort(ports.clients);
    for (let left = random.integer(1, 4); left > 0; left -= 1)
      socket.write(httpRequest(random, ports.key));
    return socket;
  },
  async requestsAtObjects(random, ports) {
    const socket = toPort(ports.objects);
    for (let left = random.integer(1, 4); left > 0; left -= 1)
      socket.write(httpRequest(random, ports.key));
    return socket;
  },
  async replica(random, ports) {
    const socket = toPort(ports.clients);
    const mark = pick(random, [
      "a;1;b;c",
      ";;;;",
      "%;9;%ff;AAAA",
      noise(random, 40).toString("hex"),
    ]);
    socket.write(
      `GET /emulator/replica HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: sv-replica\r\nsv-replica: ${mark}\r\n\r\n`,
    );
    socket.write(noise(random, 200));
    return socket;
  },
};

/**
 * Resolves when the peer has left. Never rejects.
 * @param index repeats the case together with `seed`
 */
export async function playCase(seed: number, index: number, ports: Ports): Promise<void> {
  const random = new SeededRandom(seed + index);
  const kinds = Object.values(KINDS);
  const kind = kinds[index % kinds.length];
  if (kind === undefined) return;
  const socket = await kind(random, ports);
  const leave = random.integer(0, 3);
  if (leave === 0) await delay(STAYS_MS);
  else if (leave === 1) await new Promise((resolve) => void socket.write("", resolve));
  if (leave === 2) socket.end();
  if (random.integer(0, 1) === 0 && !("encrypted" in socket) && socket.remotePort !== undefined)
    socket.resetAndDestroy();
  if (leave === 2) await delay(STAYS_MS);
  socket.destroy();
  if (!socket.closed) await once(socket, "close");
}

/** Forwards 127.0.0.1 of this machine to ports that containers publish at another address, with the same numbers. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import { promisify } from "node:util";

const LOOPBACK = "127.0.0.1";

/** Events of the engine after which published ports may have changed. */
const EVENTS = ["start", "die"].flatMap((event) => ["--filter", `event=${event}`]);

/** @param address address of the published ports of the engine at `host` */
export async function leadPublishedPorts(host: string, address: string): Promise<AsyncDisposable> {
  const servers = new Map<number, net.Server>();
  const docker = (...args: readonly string[]) => ["--host", host, ...args];
  const events: ChildProcess = spawn("docker", docker("events", ...EVENTS), {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let looks = Promise.resolve();
  const look = async () => {
    const { stdout } = await promisify(execFile)("docker", docker("ps", "--format", "{{.Ports}}"));
    const ports = new Set(
      [...stdout.matchAll(/127\.0\.0\.1:(\d+)->/gu)].map(([, port]) => Number(port)),
    );
    for (const [port, server] of servers) {
      if (ports.has(port)) continue;
      server.close();
      servers.delete(port);
    }
    for (const port of ports) if (!servers.has(port)) servers.set(port, lead(port, address));
  };
  // The engine may be stopped.
  events.stdout?.on("data", () => {
    looks = looks.then(look).catch(() => undefined);
  });
  return {
    async [Symbol.asyncDispose]() {
      events.kill();
      if (events.exitCode === null && events.signalCode === null) await once(events, "exit");
      await looks;
      for (const server of servers.values()) server.close();
    },
  };
}

function lead(port: number, address: string): net.Server {
  const server = net.createServer((front) => {
    const back = net.connect({ host: address, port });
    const end = () => [front, back].map((socket) => socket.destroy());
    for (const socket of [front, back]) socket.on("error", end).on("close", end);
    front.pipe(back).pipe(front);
  });
  // Another program may use the port.
  server.on("error", (error) => console.warn(`a published port is not led to: ${error.message}`));
  return server.listen(port, LOOPBACK);
}

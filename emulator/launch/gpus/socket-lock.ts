/** Locks GPUs by listening sockets, which the kernel closes with their process, however that ends. */
import net from "node:net";
import type { DeviceLock, LockDevice } from "../../core/workers/device-lock.ts";
import type { LaunchLog } from "../launcher.ts";

const UNLOCKED: DeviceLock = { release: () => undefined };

/**
 * A lock is a socket that listens under the device's name in Linux's abstract namespace, without a file. Every process of the same
 * network namespace sees it. Where such sockets do not exist or are not permitted, GPUs are not locked; the log says so once.
 */
export function deviceLocks(log: LaunchLog, platform: string = process.platform): LockDevice {
  let isPossible = platform === "linux";
  const failed = (error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE" || !isPossible) return;
    isPossible = false;
    const message = "GPUs cannot be locked here: other emulators of this machine may give them too";
    log.warn({ err: error }, message);
  };
  return (deviceId) => {
    if (!isPossible) return UNLOCKED;
    const server = net.createServer((socket) => socket.destroy()).unref();
    server.once("error", failed);
    server.listen({ path: `\0sv-gpu-${deviceId}`, exclusive: true });
    return server.listening ? { release: () => void server.close() } : undefined;
  };
}

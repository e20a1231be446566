/** Every server of the service has the limits of a listener. */
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../../..");

/** Files that create a server, each with the bounds of its connections. */
const SERVERS: Readonly<Record<string, string>> = {
  "emulator/grpc/tls-port.ts": "ListenerGuard",
  "emulator/grpc/worker-server.ts": "ListenerGuard",
  "emulator/net/web-server.ts": "ListenerGuard",
  // These close each connection at once, or never accept one.
  "emulator/doctor/machine-checks.ts": "server.close()",
  "emulator/launch/docker/engine-location.ts": "server.close()",
  "emulator/launch/gpus/socket-lock.ts": "socket.destroy()",
  "emulator/launch/processes/taken-ports.ts": "server.close()",
};

it("each file that creates a server bounds its connections", () => {
  const names = ["emulator", "runtime"].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => path.join(folder, name)),
  );
  const sources = names.map(
    (name) => [name, fs.readFileSync(path.join(root, name), "utf8")] as const,
  );
  const servers = sources.filter(([, text]) => /\bcreate(?:Secure)?Server\(/u.test(text));
  expect(servers.map(([name]) => name).toSorted()).toEqual(Object.keys(SERVERS).toSorted());
  for (const [name, text] of servers) expect(text, name).toContain(SERVERS[name]);
});

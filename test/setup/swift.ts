/** A foreign S3 server for tests: OpenStack Swift with its s3api, installed from Debian if possible. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { whatIsMissing } from "./debian-program.ts";
import { Processes } from "./processes.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { LOOK_MS } from "./patience.ts";

const PARTS = ["account", "container", "object"] as const;

/** Reason that these tests are left out here; undefined if they run. Under CI they are never left out. */
export const swiftIsMissing: string | undefined = whatIsMissing(
  "tests against a foreign S3 server",
  [
    "swift-proxy-server",
    "swift-object-server",
    "swift-container-server",
    "swift-account-server",
    "swift-ring-builder",
    "memcached",
  ],
);

/** A service with one account. Use with `await using`. */
export interface Swift extends AsyncDisposable {
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Output of its processes, for when they do not start. */
  said(): string;
}

/** Starts it empty, on free ports of this machine. */
export async function startSwift(): Promise<Swift> {
  const home = temporaryDirectory();
  const [proxy, account, container, object, memcache] = await freePorts(5);
  await writeSwift(home.path, { proxy, account, container, object, memcache });
  const processes = new Processes();
  processes.start("memcached", ["-u", "root", "-l", "127.0.0.1", "-p", String(memcache)]);
  for (const part of [...PARTS, "proxy"]) {
    processes.start(`swift-${part}-server`, [path.join(home.path, `${part}.conf`)]);
  }
  const swift: Swift = {
    url: `http://127.0.0.1:${proxy}`,
    accessKeyId: "test:tester",
    secretAccessKey: "a-secret-for-swift",
    said: () => processes.said,
    async [Symbol.asyncDispose]() {
      await processes.end();
      home[Symbol.dispose]();
    },
  };
  try {
    await Promise.all([proxy, account, container, object, memcache].map(listens));
  } catch (error) {
    await swift[Symbol.asyncDispose]();
    throw new Error(`Swift did not come up:\n${processes.said}`, { cause: error });
  }
  return swift;
}

type Ports = Readonly<Record<(typeof PARTS)[number] | "proxy" | "memcache", number>>;

/** Writes the configuration of its servers into the directory `home`, which has their data as well. */
export async function writeSwift(home: string, ports: Ports): Promise<void> {
  fs.mkdirSync(path.join(home, "node", "d1"), { recursive: true });
  writeConfigs(home, ports);
  await Promise.all(PARTS.map((part) => makeRing(home, part, ports[part])));
}

function writeConfigs(home: string, ports: Ports): void {
  const write = (name: string, text: string): void =>
    fs.writeFileSync(path.join(home, `${name}.conf`), text);
  const server = (port: number): string =>
    `[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = ${port}\nworkers = 0\nuser = root\nswift_dir = ${home}\n` +
    `devices = ${home}/node\nmount_check = false\ndisable_fallocate = true\n`;
  write(
    "swift",
    "[swift-hash]\nswift_hash_path_suffix = test\n[storage-policy:0]\nname = one\ndefault = yes\n",
  );
  for (const part of PARTS) {
    const pipeline = `[pipeline:main]\npipeline = ${part}-server\n`;
    write(part, `${server(ports[part])}${pipeline}[app:${part}-server]\nuse = egg:swift#${part}\n`);
  }
  const filters = {
    catch_errors: "",
    cache: `memcache_servers = 127.0.0.1:${ports.memcache}\n`,
    s3api: "location = us-east-1\n",
    tempauth: "user_test_tester = a-secret-for-swift .admin\n",
    copy: "",
    slo: "",
    dlo: "",
  };
  const sections = Object.entries(filters).map(([name, options]) => {
    const egg = name === "cache" ? "memcache" : name;
    return `[filter:${name}]\nuse = egg:swift#${egg}\n${options}`;
  });
  write(
    "proxy",
    `${server(ports.proxy)}[pipeline:main]\npipeline = ${Object.keys(filters).join(" ")} proxy-server\n` +
      `${sections.join("")}[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n`,
  );
}

async function makeRing(home: string, part: string, port: number): Promise<void> {
  const run = promisify(execFile);
  const builder = path.join(home, `${part}.builder`);
  await run("swift-ring-builder", [builder, "create", "4", "1", "1"]);
  await run("swift-ring-builder", [builder, "add", `r1z1-127.0.0.1:${port}/d1`, "1"]);
  await run("swift-ring-builder", [builder, "rebalance"]);
}

/** Free ports, which are unlikely to be taken before Swift uses them. */
async function freePorts(count: 5): Promise<[number, number, number, number, number]> {
  const servers = Array.from({ length: count }, () => net.createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = servers.map(
    (server) => (server.address() as AddressInfo).port,
  );
  for (const server of servers) server.close();
  await Promise.all(servers.map((server) => once(server, "close")));
  return [a, b, c, d, e];
}

/** Polls until the server listens: no event announces that. */
async function listens(port: number): Promise<void> {
  const until = performance.now() + LOOK_MS;
  for (;;) {
    const socket = net.connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
    } finally {
      socket.destroy();
    }
    await wait(50);
  }
}

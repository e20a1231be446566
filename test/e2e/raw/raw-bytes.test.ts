/** The built emulator survives any bytes at its ports, serves other clients, and frees the peers' resources. */
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { expect, inject, it } from "vitest";
import { freePort } from "../../setup/free-port.ts";
import { PROC } from "../../setup/proc.ts";
import { freshDatabase } from "../../setup/shared-postgres.ts";
import { sized } from "../../setup/size.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { seedOfThisRun } from "../crash/seeded-random.ts";
import { SECRET_KEY } from "../database/on-database.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { clientHello } from "./raw-bytes.ts";
import { playCase, type Ports } from "./raw-case.ts";

const CASES = sized(80, 10_000);
const AT_ONCE = 12;
/** Number of cases after which the process has loaded and allocated all that it needs. */
const WARM_UP = sized(30, 1_000);
const SILENT = 10;

const HANDLERS = {
  "handlers/echo/handler.js": "export default (job) => job.input;",
  "handlers/prey/handler.js": "export default (job) => job.input;",
  "handlers/web/server.js":
    "import http from 'node:http'; http.createServer((_, a) => a.end('fine')).listen(process.env.PORT);",
  "tmp/": "",
};

async function startWithAllPorts(root: string) {
  const [port, workerPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  return startEmulatorProcess({
    args: [
      ...["handlers", "--data-dir", "data", "--log", "json", "--docker", "off"],
      ...["--port", String(port), "--advertise", url, "--worker-port", String(workerPort)],
    ],
    cwd: root,
    env: {
      SV_STORE: await freshDatabase(inject("sharedPostgres")),
      ...{ SV_SECRET_KEY: SECRET_KEY, SV_LIMITS: "off", TMPDIR: path.join(root, "tmp") },
    },
  });
}

async function portsOf(emulator: EmulatorProcess, root: string): Promise<Ports> {
  const [, workers] = await emulator.stderrMatch(/tls:\/\/127\.0\.0\.1:(\d+)/);
  const [, objects] = await emulator.stderrMatch(/"s3":"http:\/\/127\.0\.0\.1:(\d+)"/);
  const [directory = ""] = fs
    .readdirSync(path.join(root, "tmp"))
    .filter((name) => name.startsWith("sv-e"));
  const body = { name: "far", scope: "workers", endpointIds: ["prey"] };
  const { key } = (await ask(emulator, "/emulator/keys", body)) as { readonly key: string };
  return {
    clients: Number(new URL(emulator.url).port),
    objects: Number(objects),
    workers: Number(workers),
    workerSocket: path.join(root, "tmp", directory, "worker.sock"),
    key: emulator.apiKey ?? "",
    caller: { token: key, instance: "an-instance-of-the-test" },
    hello: await clientHello(),
  };
}

async function ask(
  { url, apiKey }: EmulatorProcess,
  pathname: string,
  body: unknown,
): Promise<unknown> {
  const answer = await fetch(`${url}${pathname}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return answer.json();
}

/** Opens connections of silent peers; resolves when the emulator has closed them all. */
async function saysNothing({ workers, workerSocket }: Ports): Promise<void> {
  const closed: Promise<unknown>[] = [];
  for (let left = SILENT; left > 0; left -= 1) {
    for (const to of [{ host: "127.0.0.1", port: workers }, { path: workerSocket }]) {
      const socket = net
        .connect(to)
        .on("error", () => undefined)
        .resume();
      closed.push(once(socket, "close"));
    }
  }
  await Promise.all(closed);
}

interface Held {
  readonly descriptors: number;
  readonly residentMb: number;
}

function heldBy({ child }: EmulatorProcess): Held {
  const status = fs.readFileSync(`${PROC}/${child.pid}/status`, "latin1");
  const [, kB = ""] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return {
    descriptors: fs.readdirSync(`${PROC}/${child.pid}/fd`).length,
    residentMb: Math.round(Number(kB) / 1_000),
  };
}

it("the process survives any bytes at its ports, closes silent connections, and frees the peers' resources", async () => {
  const seed = seedOfThisRun();
  await using tree = await temporaryTree(HANDLERS);
  await using emulator = await startWithAllPorts(tree.root);
  const ports = await portsOf(emulator, tree.root);
  const play = async (from: number, to: number) => {
    let next = from;
    const peer = async () => {
      while (next < to && emulator.child.exitCode === null)
        await playCase(seed, (next += 1), ports);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, peer));
    const ended = [
      `seed ${seed} (CRASH_SEED), before case ${next}`,
      ...emulator.stderrLines.slice(-20),
    ];
    expect(emulator.child.exitCode, ended.join("\n")).toBe(null);
  };
  await play(0, WARM_UP);
  const before = heldBy(emulator);
  const silent = saysNothing(ports);
  await play(WARM_UP, CASES);
  await silent;
  expect(await ask(emulator, "/v2/echo/runsync", { input: { text: "served" } })).toMatchObject({
    status: "COMPLETED",
    output: { text: "served" },
  });
  await expect
    .poll(() => heldBy(emulator).descriptors)
    .toBeLessThanOrEqual(before.descriptors + 10);
  expect(heldBy(emulator).residentMb).toBeLessThan(before.residentMb + 200);
  expect(emulator.stderrLines.length).toBeLessThan(500);
}, 900_000);

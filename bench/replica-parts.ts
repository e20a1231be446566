/** The parts of an emulator for replicas in programs of the benchmark. */
import { createHash } from "node:crypto";
import { callerCheck } from "../emulator/assembly/callers.ts";
import { createSystemClock, createSystemRandom } from "../emulator/assembly/system-clock.ts";
import { KeyRing } from "../emulator/core/access/key-ring.ts";
import { openEngine, type RunningEngine } from "../emulator/engine/engine.ts";
import { openSteps } from "../emulator/engine/steps/steps.ts";
import { WorkerSession } from "../emulator/engine/workers/session/worker-session.ts";
import { admitStarted } from "../emulator/grpc/worker-admission.ts";
import { WorkerServer } from "../emulator/grpc/worker-server.ts";
import { createHttpServer, type HttpServer } from "../emulator/http/server.ts";
import type { Launcher } from "../emulator/launch/launcher.ts";
import { fixedSecretKey } from "../emulator/secrets/secret-key.ts";
import type { Ownership } from "../emulator/store/ownership.ts";
import type { Store } from "../emulator/store/store.ts";
import { API_KEY } from "./emulator-process.ts";

const SECRET_KEY_BYTES = 32;
const GATHER_MS = 1;
const log = {
  info: () => undefined,
  warn: () => undefined,
  error: (fields: object, message: string) => console.error(message, fields),
};

export interface ReplicaOn {
  readonly store: Store;
  /** Ownership of a shared store. */
  readonly ownership?: Ownership | undefined;
  readonly launchers: readonly Launcher[];
}

export async function openReplica({
  store,
  ownership,
  launchers,
}: ReplicaOn): Promise<RunningEngine> {
  const clock = createSystemClock();
  return openEngine({
    store,
    steps: await openSteps(store, { log, clock, gatherMs: GATHER_MS, ownership }),
    clock,
    random: createSystemRandom(),
    secretKey: fixedSecretKey(Buffer.alloc(SECRET_KEY_BYTES)),
    log,
    launchers,
    webhookSender: {
      send: () => Promise.reject(new Error("there was a webhook to be called")),
      close: async () => undefined,
    },
  });
}

/** Server for workers. It does not listen yet. */
export function workerServerOf({ context }: RunningEngine, address: string): WorkerServer {
  return new WorkerServer({
    address,
    log,
    admit: admitStarted(context),
    openSession: (worker, send) => new WorkerSession(context, worker, send),
  });
}

/** The HTTP interface, which accepts the benchmark's key. It does not listen yet. */
export function httpServerOf({ context }: RunningEngine, ownership?: Ownership): HttpServer {
  const digest = createHash("sha256").update(API_KEY).digest("hex");
  const createdAt = new Date().toISOString();
  return createHttpServer({
    engine: context,
    callers: callerCheck("127.0.0.1", { allowedHosts: [], allowedOrigins: [] }),
    keys: new KeyRing(
      [{ id: "user", name: "bench", scope: "all", digest, createdAt }],
      context.clock,
    ),
    webhookSecret: "",
    log,
    ownership,
  });
}

/** Replicas that share one PostgreSQL database, each behind its own proxy. */
import { afterAll } from "vitest";
import type { PostgresStoreOptions } from "../../../emulator/store/postgres/options.ts";
import type { PostgresStore } from "../../../emulator/store/postgres/postgres-store.ts";
import { startTcpProxy } from "../../setup/tcp-proxy.ts";
import { newDatabase, openIn } from "../store/postgres-subject.ts";
import type { Joined } from "./member.ts";
import type { OpenShared } from "./shared-subject.ts";

/** Lease: short enough for a test, and long enough for a busy machine. */
const TIMES = { renewEvery: 100, margin: 100, settle: 150, leftOver: 100, retry: 20 };
export const LEASES = { short: 1_500, long: 600_000 } as const;

export interface SharedDatabase extends AsyncDisposable {
  readonly url: string;
  join(
    lease: keyof typeof LEASES,
    options?: Partial<PostgresStoreOptions>,
  ): Promise<JoinedBehindProxy>;
}

export interface JoinedBehindProxy extends Joined {
  readonly store: PostgresStore;
  readonly proxy: Awaited<ReturnType<typeof startTcpProxy>>;
}

/** @param url an unused database */
export function sharedDatabase(url: string): SharedDatabase {
  const joined: Joined[] = [];
  return {
    url,
    async join(lease, options) {
      const one = await join(url, LEASES[lease], options);
      joined.push(one);
      return one;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(joined.map((each) => each.close()));
    },
  };
}

/** Call this where tests are declared: all use one database, which each test finds empty. */
export function sharedSubjects(door: string): OpenShared {
  let database: ReturnType<typeof newDatabase> | undefined;
  afterAll(async () => (await database)?.end());
  return async () => {
    const { url, empty } = await (database ??= newDatabase(door));
    await empty();
    return sharedDatabase(url);
  };
}

async function join(
  url: string,
  lease: number,
  options: Partial<PostgresStoreOptions> = {},
): Promise<JoinedBehindProxy> {
  const proxy = await startTcpProxy(Number(new URL(url).port));
  const by = new URL(url);
  by.port = String(proxy.port);
  const replica = `replica-${crypto.randomUUID()}`;
  const advertise = `http://${replica}:7080`;
  const times = { ...TIMES, lease, ...options.times };
  const own = { replica, advertise, version: "1.2.3", ...options, times };
  const store = await openIn(by.href, own).catch(async (error: unknown) => {
    await proxy[Symbol.asyncDispose]();
    throw error;
  });
  const { ownership } = store;
  if (ownership === undefined) throw new Error("it is not shared");
  return {
    ...{ store, ownership, proxy },
    kill: () => proxy.close(),
    freeze: () => proxy.hold(),
    wake: () => proxy.letGo(),
    async close() {
      await store.close();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

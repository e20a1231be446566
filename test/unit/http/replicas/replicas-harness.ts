/** Replicas `a`, `b`, `c`, each with its own engine, over connections that a test can cut. */
import { findJobs } from "../../../../emulator/engine/jobs/read/find-jobs.ts";
import { startTcpProxy, type TcpProxy } from "../../../setup/tcp-proxy.ts";
import { ScriptedCluster, type ScriptedOwnership } from "../../scripted-ownership.ts";
import { startTestHttp, type TestHttp, type TestHttpOptions } from "../http-harness.ts";

export interface TestReplica {
  readonly service: TestHttp;
  readonly ownership: ScriptedOwnership;
  /** Connections between it and the other replicas. */
  readonly way: TcpProxy;
}

export interface TestReplicas extends AsyncDisposable {
  readonly cluster: ScriptedCluster;
  readonly a: TestReplica;
  readonly b: TestReplica;
  readonly c: TestReplica;
}

/** At first `b` owns everything. */
export async function startReplicas(options: TestHttpOptions = {}): Promise<TestReplicas> {
  await using parts = new AsyncDisposableStack();
  const cluster = new ScriptedCluster();
  cluster.rest = "b";
  const start = async (id: string) => {
    const replica = await startReplica(cluster, id, options);
    parts.use(replica.service);
    parts.use(replica.way);
    return replica;
  };
  const [a, b, c] = [await start("a"), await start("b"), await start("c")];
  const made = parts.move();
  return { cluster, a, b, c, [Symbol.asyncDispose]: () => made.disposeAsync() };
}

async function startReplica(
  cluster: ScriptedCluster,
  id: string,
  options: TestHttpOptions,
): Promise<TestReplica> {
  let address = "";
  const ownership = cluster.join(id, () => address);
  const service = await startTestHttp({ ...options, ownership });
  const way = await startTcpProxy(Number(new URL(service.url).port));
  address = `http://127.0.0.1:${way.port}`;
  return { service, ownership, way };
}

/** The ids of all jobs of a replica's engine. */
export async function jobsOf({ service }: TestReplica): Promise<readonly string[]> {
  const page = await findJobs(service.test.engine, {}, { limit: 100, beforeSeq: undefined });
  return page.jobs.map(({ id }) => id);
}

/** Waits until `is` returns true. */
export async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise(setImmediate);
}

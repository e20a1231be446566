/** `sv-emulate exec`: a service for as long as a command runs. */
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import type { Emulator, EmulatorOptions, JobRecord } from "../../index.ts";
import type { LocalEndpoint } from "../../handlers/local-endpoint.ts";
import { type CommandEnd, runChild } from "../child-command.ts";
import { junitReport } from "./junit.ts";
import { UsageError } from "../usage-error.ts";

export interface ExecOptions {
  readonly start: (options: Pick<EmulatorOptions, "apiKey" | "jobEnded">) => Promise<Emulator>;
  /** Called when the command has ended. */
  readonly over: () => void;
  readonly endpoints: readonly LocalEndpoint[];
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Where the report goes; undefined for none. */
  readonly junit: string | undefined;
}

const KEY_BYTES = 18;

/** Resolves with how the command ended, when the service has stopped. */
export async function exec(options: ExecOptions): Promise<CommandEnd> {
  const { endpoints, command, junit } = options;
  const env = environmentNames(endpoints);
  const apiKey = options.env["SV_API_KEY"] || randomBytes(KEY_BYTES).toString("base64url");
  const ended: JobRecord[] = [];
  const emulator = await options.start({
    apiKey,
    ...(junit !== undefined && { jobEnded: (job) => ended.push(job) }),
  });
  let open: readonly JobRecord[] = [];
  try {
    return await runChild(command, {
      ...options.env,
      SV_URL: emulator.url,
      SV_API_KEY: apiKey,
      SV_WEBHOOK_SECRET: emulator.webhookSecret,
      ...Object.fromEntries(env.map(([name, address]) => [name, emulator.url + address])),
    });
  } finally {
    options.over();
    if (junit !== undefined) open = await openJobs(emulator, endpoints);
    await emulator.stop("kill");
    if (junit !== undefined) await writeFile(junit, junitReport(latest([...ended, ...open])));
  }
}

/** The variable of each endpoint, with what stands behind the service's address. @throws UsageError when two are one */
function environmentNames(endpoints: readonly LocalEndpoint[]): readonly [string, string][] {
  const byName = new Map<string, LocalEndpoint>();
  for (const endpoint of endpoints) {
    const name = `SV_URL_${endpoint.id.toUpperCase().replaceAll("-", "_")}`;
    const other = byName.get(name);
    if (other !== undefined)
      throw new UsageError(
        `the endpoints "${other.id}" and "${endpoint.id}" would both be ${name} to the command; rename one`,
      );
    byName.set(name, endpoint);
  }
  return [...byName].map(([name, { id, type }]) => [
    name,
    type === "LOAD_BALANCING" ? `/lb/${id}` : `/v2/${id}`,
  ]);
}

async function openJobs(
  emulator: Emulator,
  endpoints: readonly LocalEndpoint[],
): Promise<readonly JobRecord[]> {
  const queues = endpoints.filter(({ type }) => type !== "LOAD_BALANCING");
  const found = queues.flatMap(({ id }) =>
    (["IN_QUEUE", "IN_PROGRESS"] as const).map((status) => emulator.endpoint(id).jobs({ status })),
  );
  return (await Promise.all(found)).flat();
}

/** A job that was retried ended twice; the last time counts. */
function latest(jobs: readonly JobRecord[]): readonly JobRecord[] {
  return [...new Map(jobs.map((job) => [job.id, job])).values()];
}

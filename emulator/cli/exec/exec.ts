/** `sv-emulate exec`: starts the service, runs a command against it, and stops it when the command has ended. */
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import type { Emulator, EmulatorOptions, JobRecord } from "../../index.ts";
import type { LocalEndpoint } from "../../handlers/local-endpoint.ts";
import { type CommandEnd, runChild } from "../child-command.ts";
import { junitReport } from "./junit.ts";
import { UsageError } from "../usage-error.ts";

export interface ExecOptions {
  readonly start: (options: Pick<EmulatorOptions, "apiKey" | "jobEnded">) => Promise<Emulator>;
  /** Called when the command has ended, before the service is stopped. */
  readonly commandEnded: () => void;
  readonly endpoints: readonly LocalEndpoint[];
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The file that a JUnit report is written to; undefined for no report. */
  readonly junitFile: string | undefined;
}

const KEY_BYTES = 18;

/** Resolves with the end of the command once the service has stopped. */
export async function exec(options: ExecOptions): Promise<CommandEnd> {
  const { endpoints, command, junitFile } = options;
  const variables = endpointVariables(endpoints);
  const apiKey = options.env["SV_API_KEY"] || randomBytes(KEY_BYTES).toString("base64url");
  const ended: JobRecord[] = [];
  const emulator = await options.start({
    apiKey,
    ...(junitFile !== undefined && { jobEnded: (job) => ended.push(job) }),
  });
  let unended: readonly JobRecord[] = [];
  try {
    return await runChild(command, {
      ...options.env,
      SV_URL: emulator.url,
      SV_API_KEY: apiKey,
      SV_WEBHOOK_SECRET: emulator.webhookSecret,
      ...Object.fromEntries(variables.map(([name, path]) => [name, emulator.url + path])),
    });
  } finally {
    options.commandEnded();
    if (junitFile !== undefined) unended = await unendedJobs(emulator, endpoints);
    await emulator.stop("kill");
    if (junitFile !== undefined)
      await writeFile(junitFile, junitReport(lastOfEachJob([...ended, ...unended])));
  }
}

/** Names of the variables for the endpoints' URLs, with the paths of the URLs. @throws UsageError if two have one name */
function endpointVariables(endpoints: readonly LocalEndpoint[]): readonly [string, string][] {
  const byName = new Map<string, LocalEndpoint>();
  for (const endpoint of endpoints) {
    const name = `SV_URL_${endpoint.id.toUpperCase().replaceAll("-", "_")}`;
    const other = byName.get(name);
    if (other !== undefined)
      throw new UsageError(
        `the endpoints "${other.id}" and "${endpoint.id}" would both get the variable ${name}; rename one of them`,
      );
    byName.set(name, endpoint);
  }
  return [...byName].map(([name, { id, type }]) => [
    name,
    type === "LOAD_BALANCING" ? `/lb/${id}` : `/v2/${id}`,
  ]);
}

async function unendedJobs(
  emulator: Emulator,
  endpoints: readonly LocalEndpoint[],
): Promise<readonly JobRecord[]> {
  const queues = endpoints.filter(({ type }) => type !== "LOAD_BALANCING");
  const found = queues.flatMap(({ id }) =>
    (["IN_QUEUE", "IN_PROGRESS"] as const).map((status) => emulator.endpoint(id).jobs({ status })),
  );
  return (await Promise.all(found)).flat();
}

/** One record for each job. A retried job has several; the last counts. */
function lastOfEachJob(jobs: readonly JobRecord[]): readonly JobRecord[] {
  return [...new Map(jobs.map((job) => [job.id, job])).values()];
}

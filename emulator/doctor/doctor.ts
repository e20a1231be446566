/** Checks whether a machine has what a use needs, and says how to mend what is missing. Changes nothing. */
import { type Check, judged, type Use } from "./check.ts";
import { engineChecks } from "./engine-checks.ts";
import { type GpuCheckOptions, gpuChecks } from "./gpu-checks.ts";
import { dataDirectoryCheck, nodeCheck, portCheck, sharedMemoryCheck } from "./machine-checks.ts";

export interface DoctorOptions extends Omit<GpuCheckOptions, "engine"> {
  readonly uses: readonly Use[];
  readonly host: string;
  readonly port: number;
  /** Absolute. */
  readonly dataDirectory: string;
  /** The value of `DOCKER_HOST`, if it is set. */
  readonly dockerHost: string | undefined;
}

export interface Examination {
  /** False if something fails that the uses need. */
  readonly isWell: boolean;
  readonly checks: readonly Check[];
}

export async function examine(options: DoctorOptions): Promise<Examination> {
  const { uses, host, port, dataDirectory, dockerHost, ...gpus } = options;
  const [machine, { report: engine, findings }] = await Promise.all([
    Promise.all([portCheck(host, port), dataDirectoryCheck(dataDirectory), sharedMemoryCheck()]),
    engineChecks(dockerHost),
  ]);
  const all = [
    nodeCheck(),
    ...machine.filter((each) => each !== undefined),
    ...findings,
    ...(await gpuChecks({ ...gpus, engine })),
  ];
  const checks = all.map((finding) => judged(finding, uses));
  return { isWell: checks.every(({ state }) => state !== "fail"), checks };
}

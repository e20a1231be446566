/** Floor: a container whose program does nothing, made and started as a worker's is. */
import { setTimeout as delay } from "node:timers/promises";
import { createDockerodeEngine } from "../../emulator/launch/docker/dockerode-engine.ts";

export interface BareStart {
  readonly createMs: number;
  /** Until the engine says that its first process was started. */
  readonly startMs: number;
}

/** @param image one with a program `true` */
export async function trueContainer(
  dockerHost: string,
  image: string,
  label: string,
): Promise<BareStart> {
  const engine = createDockerodeEngine(dockerHost);
  const [name = "", value = ""] = label.split("=");
  const begunAt = performance.now();
  const container = await engine.create({
    Image: image,
    Entrypoint: ["true"],
    Labels: { [name]: value },
    HostConfig: { Init: true, ReadonlyRootfs: true, Tmpfs: { "/tmp": "rw" }, CapDrop: ["ALL"] },
  });
  const createdAt = performance.now();
  await container.start();
  const startedAt = performance.now();
  while ((await container.ended()) === undefined) await delay(10);
  await engine.remove("container", container.id);
  return { createMs: createdAt - begunAt, startMs: startedAt - createdAt };
}

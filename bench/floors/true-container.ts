/** Floor: a container with an empty program, created and started like a worker's. */
import { setTimeout as delay } from "node:timers/promises";
import { createDockerodeEngine } from "../../emulator/launch/docker/dockerode-engine.ts";

export interface BareStart {
  readonly createMs: number;
  /** Time until the engine reports the start of its process. */
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

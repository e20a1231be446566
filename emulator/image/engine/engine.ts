/** The Docker engine that builds images: finds it and, where it does not answer, explains why. */
import Docker from "dockerode";
import { dockerUnreachable } from "../../docker/docker-unreachable.ts";
import type { Platform } from "../platform.ts";
import { ImageError } from "../image-error.ts";

/** An engine that answers. */
export interface Engine {
  readonly docker: Docker;
  /** Of the images that are built, as Node names it: `x64` or `arm64`. */
  readonly arch: string;
  /** What they are built for; undefined where that is what the engine runs on. */
  readonly platform: Platform | undefined;
}

const ARCHS: Readonly<Record<string, string>> = { amd64: "x64", arm64: "arm64" };

/**
 * The engine at `DOCKER_HOST`, else at the usual socket.
 *
 * @throws ImageError when none answers, or it builds no images for Linux
 */
export async function connectEngine(platform?: Platform): Promise<Engine> {
  const docker = new Docker();
  const { Os, Arch } = await docker.version().catch((error: unknown) => {
    throw new ImageError(dockerUnreachable(error, process.env["DOCKER_HOST"]), { cause: error });
  });
  const arch = ARCHS[platform?.slice("linux/".length) ?? Arch];
  if (Os === "linux" && arch !== undefined) return { docker, arch, platform };
  throw new ImageError(
    `the Docker engine builds images for ${Os} on ${Arch}; workers need linux on amd64 or arm64`,
  );
}

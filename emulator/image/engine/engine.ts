/** Finds the Docker engine that builds images, and explains why one does not answer. */
import Docker from "dockerode";
import { dockerUnreachable } from "../../docker/docker-unreachable.ts";
import type { Platform } from "../platform.ts";
import { ImageError } from "../image-error.ts";
import { hasBuildKit } from "./buildkit-session.ts";

/** An engine that answers. */
export interface Engine {
  readonly docker: Docker;
  /** Architecture of the built images, as Node names it: `x64` or `arm64`. */
  readonly arch: string;
  /** Platform of the built images; undefined for that of the engine. */
  readonly platform: Platform | undefined;
  /** Whether BuildKit builds, not the classic builder. */
  readonly hasBuildKit: boolean;
}

const ARCHS: Readonly<Record<string, string>> = { amd64: "x64", arm64: "arm64" };

/**
 * Connects to the engine at `DOCKER_HOST`, else at the usual socket.
 *
 * @throws ImageError if no engine answers, or it builds no images for Linux
 */
export async function connectEngine(platform?: Platform): Promise<Engine> {
  const docker = new Docker();
  const { Os, Arch } = await docker.version().catch((error: unknown) => {
    throw new ImageError(dockerUnreachable(error, process.env["DOCKER_HOST"]), { cause: error });
  });
  const arch = ARCHS[platform?.slice("linux/".length) ?? Arch];
  if (Os === "linux" && arch !== undefined) {
    return { docker, arch, platform, hasBuildKit: await hasBuildKit(docker) };
  }
  throw new ImageError(
    `the Docker engine builds images for ${Os} on ${Arch}; workers need linux on amd64 or arm64`,
  );
}

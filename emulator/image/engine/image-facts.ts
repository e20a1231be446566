/** What an engine knows of an image that it has. */
import type Docker from "dockerode";

export interface ImageFacts {
  readonly id: string;
  readonly sizeBytes: number;
  /** Their digests, the lowest first. */
  readonly layers: readonly string[];
  /** Whether it has the libraries of CUDA, told by a variable that NVIDIA's images set. */
  readonly hasCuda: boolean;
  /** Whether it runs an HTTP server as the base does. */
  readonly isServer: boolean;
}

const SERVER = "sv-worker server";

/** Undefined when the engine does not have it. */
export async function imageAt(docker: Docker, name: string): Promise<ImageFacts | undefined> {
  try {
    const { Id, Size, Config, RootFS } = await docker.getImage(name).inspect();
    const variables = Config.Env ?? [];
    return {
      id: Id,
      sizeBytes: Size,
      layers: RootFS.Layers ?? [],
      isServer: [Config.Entrypoint ?? [], Config.Cmd].flat().join(" ").startsWith(SERVER),
      hasCuda: variables.some((line) => line.startsWith("CUDA_VERSION=")),
    };
  } catch (error) {
    if (error instanceof Error && "statusCode" in error && error.statusCode === 404) {
      return undefined;
    }
    throw error;
  }
}

/** Bytes that `image` has on top of `beneath`; undefined where it was not built on that. */
export function addedBytes(
  image: ImageFacts | undefined,
  beneath: ImageFacts | undefined,
): number | undefined {
  if (image === undefined || beneath === undefined) return undefined;
  const isOnTop = beneath.layers.every((layer, at) => image.layers[at] === layer);
  return isOnTop ? image.sizeBytes - beneath.sizeBytes : undefined;
}

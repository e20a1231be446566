/** Reads an engine's facts about an image. */
import type Docker from "dockerode";

export interface ImageFacts {
  readonly id: string;
  readonly sizeBytes: number;
  /** Digests of the layers, the lowest first. */
  readonly layers: readonly string[];
  /** Whether the image has the libraries of CUDA, by a variable that NVIDIA's images set. */
  readonly hasCuda: boolean;
  /** Whether the image runs an HTTP server as the base image does. */
  readonly isServer: boolean;
}

const SERVER = "sv-worker server";

/** Undefined if the engine does not have the image. */
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

/** Bytes of `image` on top of `beneath`; undefined if it was not built on it. */
export function addedBytes(
  image: ImageFacts | undefined,
  beneath: ImageFacts | undefined,
): number | undefined {
  if (image === undefined || beneath === undefined) return undefined;
  const isOnTop = beneath.layers.every((layer, at) => image.layers[at] === layer);
  return isOnTop ? image.sizeBytes - beneath.sizeBytes : undefined;
}

/** @param name with a tag after its last colon, or without any tag for `latest` */
export async function tagImage(docker: Docker, image: string, name: string): Promise<void> {
  const [, repo = name, tag = "latest"] = /^(.*):([^:/]+)$/u.exec(name) ?? [];
  await docker.getImage(image).tag({ repo, tag });
}

/** What an engine knows of an image that it has. */
import type Docker from "dockerode";

export interface ImageFacts {
  readonly sizeBytes: number;
  /** Whether it has the libraries of CUDA, told by a variable that NVIDIA's images set. */
  readonly hasCuda: boolean;
}

/** Undefined when the engine does not have it. */
export async function imageAt(docker: Docker, name: string): Promise<ImageFacts | undefined> {
  try {
    const { Size, Config } = await docker.getImage(name).inspect();
    const variables = Config.Env ?? [];
    return { sizeBytes: Size, hasCuda: variables.some((line) => line.startsWith("CUDA_VERSION=")) };
  } catch (error) {
    if (error instanceof Error && "statusCode" in error && error.statusCode === 404) {
      return undefined;
    }
    throw error;
  }
}

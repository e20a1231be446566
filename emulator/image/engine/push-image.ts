/** Pushes an image to its registry, and reports the progress. */
import type Docker from "dockerode";
import { registryOf } from "../../docker/registry-of.ts";
import { failedImage, ImageError } from "../image-error.ts";
import { type BuildProgress, EngineOutput } from "./build-progress.ts";
import { loginFor } from "./docker-login.ts";
import { followEngine } from "./follow-engine.ts";

/** Pushes an image with the credentials of `docker login`. @throws ImageError if the registry does not accept it */
export async function pushImage(
  docker: Docker,
  tag: string,
  progress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const output = new EngineOutput("push", progress);
  const registry = registryOf(tag);
  const login = await loginFor(registry);
  // An engine refuses a push without credentials, but accepts empty ones.
  const options = { authconfig: login ?? { username: "", password: "", serveraddress: "" } };
  const answer = await docker
    .getImage(tag)
    .push({ ...options, abortSignal: signal })
    .catch((error: unknown) => {
      throw failedImage(`${tag} cannot be pushed`, error);
    });
  await followEngine(answer, output);
  if (output.error === undefined) return;
  throw new ImageError(
    `${tag} cannot be pushed: ${output.error}. ${login ? "The login came from" : "If the registry needs a login, use"}: docker login ${registry}`,
  );
}

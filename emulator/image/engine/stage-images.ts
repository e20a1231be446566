/** Names the images of a build's stages: unnamed images would pile up, and without any the next build would not be cached. */
import type Docker from "dockerode";
import { imageAt } from "./image-facts.ts";

/** Name of the images of stages: one for each stage of each image that was built here. */
const STAGES = "sv-stages";

/**
 * Names the images that have no name yet, and removes the ones that had these names before.
 *
 * @param stages ids of the images
 */
export async function keepStages(
  docker: Docker,
  image: string,
  stages: readonly string[],
): Promise<void> {
  for (const [at, stage] of stages.entries()) {
    const made = docker.getImage(stage);
    const { RepoTags: tags, RepoDigests: digests } = await made.inspect();
    if (tags.length + digests.length > 0) continue;
    const tag = `${image.replaceAll(/[^\w.-]+/gu, "-")}-${at + 1}`.slice(-TAG_MAX_CHARACTERS);
    const name = tag.replace(/^[.-]+/u, "");
    const former = await imageAt(docker, `${STAGES}:${name}`);
    await made.tag({ repo: STAGES, tag: name });
    // The image stays if another one was built on it.
    if (former !== undefined)
      await docker
        .getImage(former.id)
        .remove()
        .catch(() => undefined);
  }
}

const TAG_MAX_CHARACTERS = 128;

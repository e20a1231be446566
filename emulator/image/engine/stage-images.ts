/** Names the images of a build's stages: unnamed they would pile up, and without them the next build would start from nothing. */
import type Docker from "dockerode";
import { imageAt } from "./image-facts.ts";

/** One image of this name for each stage of each image that was built here. */
const STAGES = "sv-stages";

/**
 * Names those that no other name has, and removes the ones that had these names before.
 *
 * @param stages their ids
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
    // It stays where something was made of it.
    if (former !== undefined)
      await docker
        .getImage(former.id)
        .remove()
        .catch(() => undefined);
  }
}

const TAG_MAX_CHARACTERS = 128;

/** The images of stages that the classic builder leaves: named for the next build, or removed. */
import type Docker from "dockerode";
import { imageAt } from "./image-facts.ts";

/** Name of the images of stages: one for each stage of each image that was built here. */
const STAGES = "sv-stages";
const TAG_MAX_CHARACTERS = 128;

/**
 * Names the images that have no name yet, and removes the ones that had these names before.
 *
 * @param image name of the built image
 * @param stages ids of the images
 */
export async function keepStages(
  docker: Docker,
  image: string,
  stages: readonly string[],
): Promise<void> {
  for (const [at, stage] of stages.entries()) {
    const made = docker.getImage(stage);
    if (await hasName(docker, stage)) continue;
    const tag = `${image.replaceAll(/[^\w.-]+/gu, "-")}-${at + 1}`.slice(-TAG_MAX_CHARACTERS);
    const name = tag.replace(/^[.-]+/u, "");
    const former = await imageAt(docker, `${STAGES}:${name}`);
    await made.tag({ repo: STAGES, tag: name });
    // The image stays if another one was built on it.
    if (former !== undefined) await removeNameless(docker, former.id);
  }
}

/** Removes an image without a name, and the nameless ones that it was built on, unless others were built on them, too. */
export async function removeNameless(docker: Docker, id: string): Promise<void> {
  try {
    if (!(await hasName(docker, id))) await docker.getImage(id).remove();
  } catch {
    // It is in use, or gone.
  }
}

async function hasName(docker: Docker, id: string): Promise<boolean> {
  const { RepoTags: tags, RepoDigests: digests } = await docker.getImage(id).inspect();
  return (tags ?? []).length + (digests ?? []).length > 0;
}

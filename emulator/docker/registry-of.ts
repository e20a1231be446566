/** Reads from an image's name where it comes from. Pure. */

/** The name by which `docker login` knows Docker's own registry. */
const DOCKER_HUB = "https://index.docker.io/v1/";

/** As the first part of an image's name says it, by Docker's own rule. */
export function registryOf(image: string): string {
  const [first = "", ...rest] = image.split("/");
  const isHost = rest.length > 0 && (/[.:]/u.test(first) || first === "localhost");
  return isHost && first !== "docker.io" ? first : DOCKER_HUB;
}

/** Reads the registry from an image's name. Pure. */

/** The name by which `docker login` knows Docker's own registry. */
const DOCKER_HUB = "https://index.docker.io/v1/";

/** The first part of an image's name, if it is a host by Docker's rule; else Docker's own registry. */
export function registryOf(image: string): string {
  const [first = "", ...rest] = image.split("/");
  const isHost = rest.length > 0 && (/[.:]/u.test(first) || first === "localhost");
  return isHost && first !== "docker.io" ? first : DOCKER_HUB;
}

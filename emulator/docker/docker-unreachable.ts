/** Explains why the Docker engine does not answer. */

const DEFAULT_HOST = "unix:///var/run/docker.sock";

/** Codes of a connection where no engine listens. */
const NOBODY = new Set(["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE"]);

/** @param host the value of `DOCKER_HOST`, if it is set */
export function dockerUnreachable(error: unknown, host: string | undefined): string {
  const place = placeOf(host);
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  if (code === "EACCES" || code === "EPERM") {
    return `this user may not use the Docker engine at ${place}; add the user to the group docker, or run a rootless engine and set DOCKER_HOST`;
  }
  if (code !== undefined && NOBODY.has(code)) {
    return (
      `no Docker engine answers at ${place}; install Docker or start it (Docker Desktop, or: sudo systemctl start docker). ` +
      "If it listens elsewhere, set DOCKER_HOST; `docker context inspect` says where"
    );
  }
  const reason = code ?? (error instanceof Error ? error.message : String(error));
  return `the Docker engine at ${place} cannot be reached: ${reason}`;
}

/** The message for an engine that did not answer in time. */
export function noAnswer(host: string | undefined, limitMs: number): string {
  return `the Docker engine at ${placeOf(host)} gave no answer for ${limitMs / 1_000} s`;
}

function placeOf(host: string | undefined): string {
  return host === undefined || host === "" ? DEFAULT_HOST : host;
}

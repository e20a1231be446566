/** Says that localhost in a container is the container itself, where a connection to it failed. */
import { existsSync } from "node:fs";

/** Files that engines put into each container. */
const MARKS = ["/.dockerenv", "/run/.containerenv"];

/** @returns text for the end of the sentence about it; empty for other reasons and hosts, and outside of containers */
export function loopbackHint(reason: string, host: string): string {
  if (!reason.includes("ECONNREFUSED")) return "";
  const isLoopback = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[?::1\]?)$/u.test(host);
  if (!isLoopback || !isInContainer()) return "";
  return `; in this container ${host} is the container itself: use host.docker.internal for its machine, or the name of the other container`;
}

function isInContainer(): boolean {
  return (
    process.env["KUBERNETES_SERVICE_HOST"] !== undefined || MARKS.some((mark) => existsSync(mark))
  );
}

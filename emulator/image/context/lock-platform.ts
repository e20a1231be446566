/** Refuses a lock file of npm that lacks the packages of the image's platform. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { ImageError } from "../image-error.ts";
import type { Lock } from "./lock-file.ts";
import type { NpmLock } from "./npm-lock.ts";

/**
 * npm may leave out packages of other platforms when it writes a lock file; an installation from it lacks them, or fails.
 *
 * @param arch architecture of the image, as Node names it
 * @throws ImageError that names the packages, and the cure
 */
export function checkPlatform({ root, name }: Lock, arch: string): void {
  if (name !== "package-lock.json") return;
  const file = path.join(root, name);
  const { packages = {} } = JSON.parse(readFileSync(file, "utf8")) as NpmLock;
  const locked = new Set(Object.keys(packages).map(packageAt));
  // Not `linuxmusl`, and not `linux-x64-musl`.
  const isFor = new RegExp(String.raw`\blinux-${arch}\b(?!.*musl)`, "u");
  const lacking = Object.entries(packages).flatMap(([place, entry]) => {
    if (entry.dev === true) return [];
    const optional = Object.keys(entry.optionalDependencies ?? {});
    const missing = optional.filter((wanted) => isFor.test(wanted) && !locked.has(wanted));
    return missing.length === 0 ? [] : [`${missing.join(", ")} of ${packageAt(place)}`];
  });
  if (lacking.length === 0) return;
  throw new ImageError(
    `${file} lacks packages for linux-${arch}, because npm wrote it on another platform: ${lacking.join("; ")}. Write it anew: rm -rf node_modules package-lock.json && npm install`,
  );
}

function packageAt(place: string): string {
  return place.split("node_modules/").at(-1) ?? place;
}

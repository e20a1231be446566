/** Decides whether a run may leave out tests for what a machine lacks. */

/**
 * Whether tests fail when a program or a right is missing, instead of being left out: under CI on Linux, where
 * root of a Debian can install all of it. Other systems have no set-up for these parts.
 */
export function partsAreRequired(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
): boolean {
  return env["CI"] === "true" && platform === "linux";
}

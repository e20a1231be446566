/** Decides whether a run may skip what a machine lacks. */

/**
 * Whether tests fail where a program or a right is missing, in place of being left out: under CI on Linux, where root of a Debian can
 * install all of it. No other system has a set-up for these parts.
 */
export function partsAreRequired(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
): boolean {
  return env["CI"] === "true" && platform === "linux";
}

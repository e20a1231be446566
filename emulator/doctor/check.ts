/** The findings of `doctor`, and which of them matter for a use. */

/** Uses of a machine: it runs handler files, runs or builds images, or gives workers its NVIDIA GPUs. */
export const USES = ["handlers", "images", "gpus"] as const;
export type Use = (typeof USES)[number];

export interface Finding {
  /** Name of the checked thing, for example `container engine`. */
  readonly name: string;
  readonly isGood: boolean;
  /** The finding itself, in a few words. */
  readonly found: string;
  /** How to mend it: a sentence. */
  readonly cure?: string | undefined;
  /** The uses that need it, together. Absent if all work without it. */
  readonly neededFor?: readonly Use[];
}

/** `warn`: not good, and not needed for the given uses. */
export type CheckState = "ok" | "warn" | "fail";

export interface Check extends Pick<Finding, "name" | "found" | "cure"> {
  readonly state: CheckState;
}

/** @param uses the uses of the machine that count */
export function judged(finding: Finding, uses: readonly Use[]): Check {
  const { name, isGood, found, cure, neededFor } = finding;
  const isNeeded = neededFor?.every((use) => uses.includes(use)) ?? false;
  const bad = isNeeded ? "fail" : "warn";
  return isGood ? { name, state: "ok", found } : { name, state: bad, found, cure };
}

const GB = 1024 ** 3;
const MB = 1024 ** 2;

export function sizeInWords(bytes: number): string {
  return bytes >= GB ? `${Math.round((10 * bytes) / GB) / 10} GB` : `${Math.round(bytes / MB)} MB`;
}

/** The two parts of a sentence of this project about a failure: what is wrong, and what to do. */
export function splitAdvice(sentence: string): Pick<Finding, "cure" | "found"> {
  const [found = "", ...advice] = sentence.split("; ");
  return { found, cure: advice.length === 0 ? undefined : advice.join("; ") };
}

/** Makes the ids of resources that a config names by keys: the same ones at every start. */
import { createHash } from "node:crypto";

/** The forms ids have: how many lower-case letters and digits, and what stands before them. */
const FORMS = {
  template: { prefix: "", length: 10 },
  networkVolume: { prefix: "", length: 10 },
  registryAuth: { prefix: "cl", length: 23 },
} as const;

/** A key that has the form of an id is one, so that what was exported comes back as itself; of any other one is made. */
export function keyedId(kind: keyof typeof FORMS, key: string): string {
  const { prefix, length } = FORMS[kind];
  if (new RegExp(`^${prefix}[0-9a-z]{${length}}$`, "u").test(key)) return key;
  const digest = createHash("sha256").update(`${kind} ${key}`).digest("hex");
  return prefix + BigInt(`0x${digest}`).toString(36).slice(-length);
}

/** Makes the ids of resources from their keys in a config, the same at every start. */
import { createHash } from "node:crypto";

/** The forms of ids: a prefix, and a number of lower-case letters and digits. */
const FORMS = {
  template: { prefix: "", length: 10 },
  networkVolume: { prefix: "", length: 10 },
  registryAuth: { prefix: "cl", length: 23 },
} as const;

/** A key in the form of an id is the id, so that an exported resource keeps it. An id is made from any other key. */
export function keyedId(kind: keyof typeof FORMS, key: string): string {
  const { prefix, length } = FORMS[kind];
  if (new RegExp(`^${prefix}[0-9a-z]{${length}}$`, "u").test(key)) return key;
  const digest = createHash("sha256").update(`${kind} ${key}`).digest("hex");
  return prefix + BigInt(`0x${digest}`).toString(36).slice(-length);
}

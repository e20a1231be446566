/** What is kept of a worker's token: whoever reads it cannot say the token. */
import { hash } from "node:crypto";

/** SHA-256, in base64. */
export function tokenDigest(token: string): string {
  return hash("sha256", token, "base64");
}

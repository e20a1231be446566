/** The one account that everything here belongs to (ours). */

export const ACCOUNT_ID = "account";

export interface Account {
  /** Public keys, each as a line of `authorized_keys`. Pods that start an SSH server get them. */
  readonly sshKeys: readonly string[];
}

/** One line: the type, the key, and perhaps a comment (live). */
export const SSH_KEY = /^(ssh|ecdsa|sk)-[^\s]+ [^\s]+([ \t][^\n\r]*)?$/;

/** The keys of a text, one a line; empty lines are skipped (live: older clients send them). */
export function sshKeysIn(text: string): readonly string[] {
  return text.split(/[\n\r]+/u).flatMap((line) => line.trim() || []);
}

/** The inverse of `keysIn`. */
export function sshKeysText(keys: readonly string[]): string {
  return keys.join("\n\n");
}

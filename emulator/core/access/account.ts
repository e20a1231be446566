/** The account that everything here belongs to: there is one (ours). */

/** The id of its record. */
export const ACCOUNT_ID = "account";

export interface Account {
  /** Public keys, each as a line of `authorized_keys`; for pods that are asked to start an SSH server. */
  readonly sshKeys: readonly string[];
}

/** One line: the type, the key, and perhaps a comment (live). */
export const SSH_KEY = /^(ssh|ecdsa|sk)-[^\s]+ [^\s]+([ \t][^\n\r]*)?$/;

/** The keys of a text with one in each line, empty lines between them or not (live: how older clients send them). */
export function sshKeysIn(text: string): readonly string[] {
  return text.split(/[\n\r]+/u).flatMap((line) => line.trim() || []);
}

/** The inverse. */
export function sshKeysText(keys: readonly string[]): string {
  return keys.join("\n\n");
}

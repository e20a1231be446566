/**
 * Addresses outside of this machine: `postgres://…` of the store, `s3://…` of large payloads, and `http://…` of this emulator
 * for others on the same store.
 */

export const STORE_RULE = "be an address like postgres://user:password@host:5432/database";
export const OBJECTS_RULE = "be an address like s3://bucket/prefix?endpoint=https://host:9000";

export const ADVERTISE_RULE = "be an address like https://host:8888";

/** Whether other emulators can use the address to reach this one. */
export function isAdvertisedAddress(text: string): boolean {
  if (!/^https?:\/\/./.test(text) || !URL.canParse(text)) return false;
  const { username, password, pathname, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === "") && pathname === "/";
}

export function isStoreAddress(text: string): boolean {
  return /^postgres(ql)?:\/\/./.test(text);
}

export function isObjectsAddress(text: string): boolean {
  return /^s3:\/\/[^/?#]/.test(text);
}

/** Parameters with secret values. */
const SECRET_PARAMETER = /([?&][^=&#]*(?:pass|secret|token)[^=&#]*=)[^&#]*/giu;

/** The address without its password and without secret parameters. */
export function shownAddress(text: string): string {
  const [place = "", ...rest] = text.split(/(?=\?)/u);
  // Matches up to the last @: a password may contain unescaped characters.
  const shown = place.replace(/\/\/(?<user>[^:@]*):.*@/su, "//$<user>:***@");
  return shown + rest.join("").replace(SECRET_PARAMETER, "$1***");
}

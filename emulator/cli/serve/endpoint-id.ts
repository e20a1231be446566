/** The rule for ids of endpoints from files: a part of a URL path without escapes. */

const ENDPOINT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

export const ENDPOINT_ID_RULE = "letters, digits, - and _, beginning with a letter or digit";

export function isEndpointId(text: string): boolean {
  return ENDPOINT_ID.test(text);
}

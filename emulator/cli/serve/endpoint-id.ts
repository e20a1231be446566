/** What may be the id of an endpoint served from a file: a part of a URL path that needs no escaping. */

const ENDPOINT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

export const ENDPOINT_ID_RULE = "letters, digits, - and _, beginning with a letter or digit";

export function isEndpointId(text: string): boolean {
  return ENDPOINT_ID.test(text);
}

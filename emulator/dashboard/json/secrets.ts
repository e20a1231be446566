/** Which values of inputs and outputs look like secrets, so that they are shown only when asked for. */

const KEY =
  /(?:^|[_\-.\s])(?:pass(?:word|wd|phrase)?|secret|token|auth(?:orization)?|credentials?|cookie|signature|(?:api|access|private|secret|encryption)[_\-.\s]?key)(?:$|[_\-.\s])/iu;

const VALUES = [
  /^(?:sk|pk|rk)[-_][\w-]{16,}$/u,
  /^gh[opusr]_\w{20,}$/u,
  /^github_pat_\w{20,}$/u,
  /^hf_\w{20,}$/u,
  /^xox[abprs]-[\w-]{10,}$/u,
  /^AKIA[A-Z\d]{16}$/u,
  /^whsec_[\w+/=-]{16,}$/u,
  /^eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*$/u,
  /^(?:Bearer|Basic) \S{8,}$/iu,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/u,
  /^[a-z][a-z\d+.-]*:\/\/[^/\s:@]+:[^/\s:@]+@/iu,
  /[?&](?:X-Amz-Signature|sig|signature|token|access_token|api_key)=[^&\s]{8,}/iu,
];

/** @param key of the member that holds it, empty in a list */
export function looksSecret(key: string, value: string): boolean {
  if (value === "") return false;
  return KEY.test(inWords(key)) || VALUES.some((pattern) => pattern.test(value));
}

/** `apiKey` as `api_key`. */
function inWords(key: string): string {
  return key.replaceAll(/(?<=[a-z\d])(?=[A-Z])/gu, "_");
}

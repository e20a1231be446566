/** Pattern for the namespace of a Kubernetes cluster, for options. */

export const NAMESPACE_RULE =
  "be the name of a namespace: 1 to 63 lower-case letters, digits and - between them";

export function isNamespace(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/u.test(text);
}

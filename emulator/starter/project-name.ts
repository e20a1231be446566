/** The rules for a project's name, which is also the name of an npm package, an endpoint and an image. Pure. */

/** Maximum length of the part after a scope. It is the maximum of a label in a host name, which the endpoint gets. */
const MAX_NAME_LENGTH = 63;

/** Maximum length of the whole name in npm. */
const MAX_PACKAGE_NAME_LENGTH = 214;

const NAME = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/u;
const SCOPE = /^@[a-z0-9-][a-z0-9._-]*\//u;

const NAME_RULE = `lower-case letters and digits with single - or _ between them, at most ${MAX_NAME_LENGTH}`;

/** npm reserves this name. */
const RESERVED = "node_modules";

/**
 * The sentence about an invalid name, with a suggestion if there is one; undefined for a valid name.
 * @param isTaken whether the name is already that of a module of Node or of a dependency
 */
export function nameProblem(name: string, isTaken: IsTaken): string | undefined {
  if (!isName(name)) {
    const near = proposal(fittingName(name), isTaken);
    return `${quoted(name)} cannot be a project's name; a name has ${NAME_RULE}, and may have a scope like @me/ before it${near}`;
  }
  if (!isTaken(name)) return undefined;
  const near = proposal(`my-${name}`, isTaken);
  return `${quoted(name)} cannot be a project's name, because a module of Node or a package of the project has it${near}`;
}

type IsTaken = (name: string) => boolean;

function isName(name: string): boolean {
  const own = endpointIdOf(name);
  if (own.length > MAX_NAME_LENGTH || name.length > MAX_PACKAGE_NAME_LENGTH) return false;
  return NAME.test(own) && own !== RESERVED;
}

function proposal(name: string | undefined, isTaken: IsTaken): string {
  return name === undefined || !isName(name) || isTaken(name) ? "" : `; ${name} would do`;
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

/** The name without its scope: the id of its endpoint, and the name of its directory and image. */
export function endpointIdOf(name: string): string {
  return name.replace(SCOPE, "");
}

/** The valid name closest to a text, such as a directory's name; undefined if there is none. */
export function fittingName(text: string): string | undefined {
  const words = text.toLowerCase().match(/[a-z0-9]+/gu);
  return words?.join("-").slice(0, MAX_NAME_LENGTH).replace(/-$/u, "");
}

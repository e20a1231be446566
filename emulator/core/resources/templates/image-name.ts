/** Checks the name of a container image, `[host[:port]/]part[/part…][:tag][@digest]`, as engines and registries read it. Pure. */
import { valueInWords } from "../../input/problem-messages.ts";
import { LOCAL_IMAGE_PREFIX } from "./template.ts";

const NAME_MAX_CHARACTERS = 255;
const TAG_MAX_CHARACTERS = 128;

const FOREIGN_CHARACTER = /[^\w.:/@+[\]-]/u;
const SCHEME = /^[a-z]+:\/\//iu;
const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
const HOST = String.raw`(?:${LABEL}(?:\.${LABEL})*|\[[0-9A-Fa-f:]+\])(?::\d+)?`;
const PART = String.raw`[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`;
const TAG = String.raw`\w[\w.-]*`;
const DIGEST = "[A-Za-z0-9]+(?:[+._-][A-Za-z0-9]+)*:[0-9A-Fa-f]{32,}";
const SHA256 = /^sha256:[0-9a-f]{64}$/u;

/** Pattern for documents: matches every valid name and a few invalid ones. */
export const IMAGE_NAME_PATTERN = `^(?:${HOST}/)?${PART}(?:/${PART})*(?::${TAG})?(?:@${DIGEST})?$`;

/** The fault of the field that holds `name`, as a sentence without its subject; undefined for a valid name. */
export function imageNameSentence(name: string): string | undefined {
  const problem = imageNameProblem(name);
  const be = "must be the name of a container image like registry.example/team/app:1.0";
  return problem && `${be}; got ${valueInWords(name)}: ${problem}`;
}

/** Why `name` cannot be an image's name; undefined for a valid name, and for names under `sv.local/`, which are not images. */
export function imageNameProblem(name: string): string | undefined {
  if (name.startsWith(LOCAL_IMAGE_PREFIX)) return undefined;
  if (name === "") return "it is empty";
  const [scheme] = SCHEME.exec(name) ?? [];
  if (scheme !== undefined) return `it begins with "${scheme}", as an address does`;
  const [foreign] = FOREIGN_CHARACTER.exec(name) ?? [];
  if (foreign !== undefined)
    return `the character ${JSON.stringify(foreign)} cannot stand in a name`;
  const { path, tag, digest } = split(name);
  return pathProblem(path) ?? tagProblem(tag) ?? digestProblem(digest);
}

interface Split {
  readonly path: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

function split(name: string): Split {
  const at = name.indexOf("@");
  const [before, digest] = at === -1 ? [name] : [name.slice(0, at), name.slice(at + 1)];
  // A colon before the last slash begins a port.
  const [, path = before, tag] = /^(.*):([^/]*)$/u.exec(before) ?? [];
  return { path, tag, digest };
}

function pathProblem(path: string): string | undefined {
  if (path === "") return "it has only a tag or a digest";
  if (path.length > NAME_MAX_CHARACTERS)
    return `it has ${path.length} characters before its tag; at most ${NAME_MAX_CHARACTERS} are allowed`;
  const [first = "", ...others] = path.split("/");
  const hasHost = others.length > 0 && isHost(first);
  const parts = hasHost ? others : [first, ...others];
  if (parts.includes("")) return "a part between slashes is empty";
  if (hasHost && !is(HOST, first))
    return `the host ${valueInWords(first)} must consist of letters, digits, dots and inner hyphens, with a number after its colon`;
  if (parts.some((part) => /[A-Z]/u.test(part)))
    return "upper-case letters are allowed in hosts and tags only";
  const odd = parts.find((part) => !is(PART, part));
  if (odd === undefined) return undefined;
  return `the part ${valueInWords(odd)} must begin and end with a letter or digit, with single dots, one or two underscores, or hyphens between`;
}

/** The first part is a host if it looks like one, otherwise a part of the path. */
function isHost(first: string): boolean {
  return /[.:]/u.test(first) ? !/^\.+$/u.test(first) : first === "localhost";
}

function tagProblem(tag: string | undefined): string | undefined {
  if (tag === undefined) return undefined;
  if (tag === "") return "the tag after the colon is empty";
  if (is(TAG, tag) && tag.length <= TAG_MAX_CHARACTERS) return undefined;
  return `the tag ${valueInWords(tag)} must have at most ${TAG_MAX_CHARACTERS} letters, digits, underscores, dots and hyphens, and begin with none of the last two`;
}

function digestProblem(digest: string | undefined): string | undefined {
  if (digest === undefined) return undefined;
  const isRight = digest.startsWith("sha256:") ? SHA256.test(digest) : is(DIGEST, digest);
  return isRight ? undefined : "the digest must be like sha256: and 64 hexadecimal digits";
}

function is(kind: string, text: string): boolean {
  return new RegExp(`^(?:${kind})$`, "u").test(text);
}

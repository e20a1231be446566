/** Writes the XML of answers. */

/** Elements by name: with a text, with elements, several of one name, or absent where the value is undefined. */
export interface XmlElements {
  readonly [name: string]: XmlContent;
}

type XmlContent = string | number | boolean | undefined | XmlElements | readonly XmlContent[];

export const S3_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

const PLACE_HOLDERS: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Characters that have a meaning in XML, or that parsers change: they turn a bare CR into LF. */
// oxlint-disable-next-line no-control-regex
const SPECIAL = /[&<>"\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]/g;

/** @param namespace of the root; absent in errors */
export function xmlDocument(root: string, elements: XmlElements, namespace?: string): string {
  const attribute = namespace === undefined ? "" : ` xmlns="${namespace}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attribute}>${inner(elements)}</${root}>`;
}

function inner(elements: XmlElements): string {
  return Object.entries(elements)
    .map(([name, content]) => element(name, content))
    .join("");
}

function element(name: string, content: XmlContent): string {
  if (content === undefined) return "";
  if (isSeveral(content)) return content.map((each) => element(name, each)).join("");
  const written = typeof content === "object" ? inner(content) : escaped(String(content));
  return `<${name}>${written}</${name}>`;
}

function isSeveral(content: XmlContent): content is readonly XmlContent[] {
  return Array.isArray(content);
}

/** Control characters become references, as in S3, although XML 1.0 does not allow them. */
function escaped(text: string): string {
  return text.replaceAll(
    SPECIAL,
    (letter) => PLACE_HOLDERS[letter] ?? `&#x${letter.charCodeAt(0).toString(16)};`,
  );
}

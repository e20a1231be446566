/** Writes the XML of answers. */

/** An element with text or with other elements in it. */
export interface Xml {
  readonly name: string;
  readonly content: string | number | boolean | readonly Xml[];
}

export const S3_NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

const PLACE_HOLDERS: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** What has a meaning in XML, or would not come back as it is: parsers turn a bare CR into LF. */
// oxlint-disable-next-line no-control-regex
const SPECIAL = /[&<>"\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]/g;

export function xml(name: string, content: Xml["content"]): Xml {
  return { name, content };
}

/** Elements for what is there. */
export function xmlIfAny(name: string, content: string | number | undefined): readonly Xml[] {
  return content === undefined ? [] : [xml(name, content)];
}

/** @param namespace of the root; errors have none */
export function xmlDocument(root: Xml, namespace?: string): string {
  const attribute = namespace === undefined ? "" : ` xmlns="${namespace}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root.name}${attribute}>${inner(root)}</${root.name}>`;
}

function inner({ content }: Xml): string {
  if (typeof content !== "object") return escaped(String(content));
  return content.map((child) => `<${child.name}>${inner(child)}</${child.name}>`).join("");
}

/** Control characters become references, which is what S3 does although XML 1.0 does not allow them. */
function escaped(text: string): string {
  return text.replaceAll(
    SPECIAL,
    (letter) => PLACE_HOLDERS[letter] ?? `&#x${letter.charCodeAt(0).toString(16)};`,
  );
}

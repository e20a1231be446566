/** Reads the XML of requests: elements and text only, without entity definitions or references to other documents. */
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { z } from "zod";
import { S3Error } from "../s3-error.ts";

/** The named entities that need no document type. */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};
const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));|&/gi;

const parser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  tagValueProcessor: (_name, text) => resolved(text),
});

/**
 * Parses a document with `schema`. Elements are members; an element that occurs several times is an array.
 *
 * @throws S3Error MalformedXML
 */
export function readXml<T>(text: string, schema: z.ZodType<T>): T {
  const hasDocumentType = text.includes("<!DOCTYPE") || text.includes("<!ENTITY");
  if (hasDocumentType || XMLValidator.validate(text) !== true) throw malformed();
  const parsed: unknown = parsedOf(text);
  const result = schema.safeParse(parsed);
  if (!result.success) throw malformed(result.error);
  return result.data;
}

/** An array of one or several elements. The parser makes an array only of several. */
export function several<T>(schema: z.ZodType<T>): z.ZodType<T[]> {
  return z.preprocess(
    (value): unknown => (Array.isArray(value) ? value : [value]),
    z.array(schema),
  );
}

function parsedOf(text: string): unknown {
  try {
    return parser.parse(text);
  } catch (error) {
    throw error instanceof S3Error ? error : malformed(error);
  }
}

function resolved(text: string): string {
  return text.replaceAll(REFERENCE, (_all, hex?: string, decimal?: string, name?: string) => {
    const found =
      name === undefined
        ? characterAt(Number.parseInt(hex ?? decimal ?? "", hex === undefined ? 10 : 16))
        : ENTITIES[name];
    if (found === undefined) throw malformed();
    return found;
  });
}

function characterAt(codePoint: number): string | undefined {
  return codePoint <= 0x10_ff_ff ? String.fromCodePoint(codePoint) : undefined;
}

function malformed(cause?: unknown): S3Error {
  return new S3Error(
    "MalformedXML",
    "the body is no XML document of the kind this operation takes",
    {},
    { cause },
  );
}

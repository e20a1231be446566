/** Written XML is read back unchanged, and only elements and text of XML are read. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { anyCharacter } from "../../any-character.ts";
import { readXml } from "../../../emulator/objects/xml/read-xml.ts";
import { xmlDocument } from "../../../emulator/objects/xml/write-xml.ts";

const schema = z.object({ Root: z.object({ Text: z.string() }) });

function read(inner: string): string {
  return readXml(`<Root><Text>${inner}</Text></Root>`, schema).Root.Text;
}

it("any written text is read back unchanged", () => {
  const property = fc.property(
    fc.string({ unit: anyCharacter }).filter((text) => text.isWellFormed()),
    (text) => {
      const written = xmlDocument("Root", { Text: text }, "http://x.test/");
      expect(readXml(written, schema).Root.Text).toBe(text);
    },
  );
  fc.assert(property, { numRuns: 500 });
});

it("white space, numbers and words in a text stay unchanged", () => {
  for (const text of ["", " ", "  a  ", "\n", "007", "1e3", "true", "null", "0x10"]) {
    expect(read(text)).toBe(text);
  }
});

describe("references", () => {
  it("mean the predefined characters", () => {
    expect(read("&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&#128512;&amp;lt;")).toBe(
      `<>&"'AB\u{1F600}&lt;`,
    );
  });

  it.each(["&nbsp;", "&x;", "&", "&#xFFFFFF;", "&#;", "&#99999999;"])(
    "to other characters are refused: %s",
    (text) => {
      expect(() => read(text)).toThrow(expect.objectContaining({ code: "MalformedXML" }));
    },
  );
});

it.each([
  ["a document type", '<!DOCTYPE Root SYSTEM "file:///etc/passwd"><Root><Text>a</Text></Root>'],
  [
    "entities in entities",
    '<!DOCTYPE Root [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><Root><Text>&b;</Text></Root>',
  ],
  ["two roots", "<Root><Text>a</Text></Root><Root><Text>b</Text></Root>"],
  ["elements that are not closed", "<Root><Text>a</Root>"],
  ["another shape", "<Root><Text>a</Text><Text>b</Text></Root>"],
  ["nothing", ""],
])("a document with %s is refused", (_what, document) => {
  expect(() => readXml(document, schema)).toThrow(
    expect.objectContaining({ code: "MalformedXML" }),
  );
});

it("prefixes, attributes, comments and the declaration are ignored", () => {
  const document =
    '<?xml version="1.0"?><!-- a --><s:Root xmlns:s="x"><s:Text a="b"><![CDATA[<a>]]></s:Text></s:Root>';
  expect(readXml(document, schema).Root.Text).toBe("<a>");
});

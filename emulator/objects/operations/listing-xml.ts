/** Elements that several listings have. */
import type { ListPage, ObjectInfo } from "../object-store.ts";
import { type Xml, xml } from "../xml/write-xml.ts";
import { quoted } from "./attributes-of-request.ts";
import { typeOf } from "./checksum-headers.ts";
import { isoTime } from "./parameters.ts";

/** Everything belongs to the one user there is. */
export function owner(name: "Owner" | "Initiator" = "Owner"): Xml {
  return xml(name, [xml("ID", "sv-runtime"), xml("DisplayName", "sv-runtime")]);
}

/** Objects and common prefixes of a page, with texts written by `encode`. */
export function contents(
  { items, commonPrefixes }: ListPage<ObjectInfo>,
  encode: (text: string) => string,
  withOwner: boolean,
): readonly Xml[] {
  return [
    ...items.map((info) => content(info, encode, withOwner)),
    ...commonPrefixXml(commonPrefixes, encode),
  ];
}

export function commonPrefixXml(
  prefixes: readonly string[],
  encode: (text: string) => string,
): readonly Xml[] {
  return prefixes.map((prefix) => xml("CommonPrefixes", [xml("Prefix", encode(prefix))]));
}

function content(info: ObjectInfo, encode: (text: string) => string, withOwner: boolean): Xml {
  const { checksum } = info;
  const checksumParts = checksum
    ? [
        xml("ChecksumAlgorithm", checksum.algorithm.toUpperCase()),
        xml("ChecksumType", typeOf(checksum)),
      ]
    : [];
  return xml("Contents", [
    xml("Key", encode(info.key)),
    xml("LastModified", isoTime(info.modifiedAt)),
    xml("ETag", quoted(info.etag)),
    ...checksumParts,
    xml("Size", info.sizeBytes),
    xml("StorageClass", "STANDARD"),
    ...(withOwner ? [owner()] : []),
  ]);
}

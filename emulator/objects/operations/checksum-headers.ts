/** Checksums as headers of answers and as elements of XML name them. */
import type { Checksum, ObjectInfo, UploadChecksum } from "../object-store.ts";
import { type Xml, xml } from "../xml/write-xml.ts";

export function checksumHeaders(checksum: Checksum | undefined): Record<string, string> {
  if (!checksum) return {};
  return {
    [`x-amz-checksum-${checksum.algorithm}`]: checksum.value,
    "x-amz-checksum-type": typeOf(checksum),
  };
}

/** A client that is told the checksum of a whole object would check a part of it against that. */
export function checksumOfRead(
  headers: ReadonlyMap<string, string>,
  { checksum }: ObjectInfo,
  isWhole: boolean,
): Record<string, string> {
  const isWanted = headers.get("x-amz-checksum-mode")?.toUpperCase() === "ENABLED";
  return isWanted && isWhole ? checksumHeaders(checksum) : {};
}

export function checksumXml(checksum: Checksum | undefined): readonly Xml[] {
  return checksum ? [xml(checksumElement(checksum.algorithm), checksum.value)] : [];
}

/** For example `ChecksumCRC32`. */
export function checksumElement(algorithm: Checksum["algorithm"]): string {
  return `Checksum${algorithm.toUpperCase()}`;
}

/** That of an object made of parts has their count behind it, unless it is that of the whole. */
export function typeOf({ value }: Checksum): UploadChecksum["type"] {
  return value.includes("-") ? "COMPOSITE" : "FULL_OBJECT";
}

/** Checksums as answers give them, in headers and in XML. */
import type { Checksum, UploadChecksum } from "../object-store.ts";
import type { XmlElements } from "../xml/write-xml.ts";

export function checksumHeaders(checksum: Checksum | undefined): Record<string, string> {
  if (!checksum) return {};
  return {
    [`x-amz-checksum-${checksum.algorithm}`]: checksum.value,
    "x-amz-checksum-type": typeOf(checksum),
  };
}

export function checksumElements(checksum: Checksum | undefined): XmlElements {
  return checksum ? { [checksumElement(checksum.algorithm)]: checksum.value } : {};
}

/** For example `ChecksumCRC32`. */
export function checksumElement(algorithm: Checksum["algorithm"]): string {
  return `Checksum${algorithm.toUpperCase()}`;
}

/** A composite checksum has the number of parts at its end. */
export function typeOf({ value }: Checksum): UploadChecksum["type"] {
  return value.includes("-") ? "COMPOSITE" : "FULL_OBJECT";
}

/** GET /bucket/key?uploadId : the parts of a multipart upload that have come. */
import { xml, xmlIfAny } from "../xml/write-xml.ts";
import { quoted } from "./attributes-of-request.ts";
import { checksumXml } from "./checksum-headers.ts";
import { owner } from "./listing-xml.ts";
import { bucketOf, type Operation, xmlAnswer } from "./operation.ts";
import { isoTime, numberIn, pageSize } from "./parameters.ts";
import { uploadOf } from "./upload-of-request.ts";

export const listParts: Operation = async (context, request) => {
  const upload = await uploadOf(context, request);
  const marker = numberIn(request.query, "part-number-marker", 0) ?? 0;
  const maxParts = pageSize(request, "max-parts");
  const all = await bucketOf(context, request).uploads.parts(upload);
  const behind = all.filter(({ number }) => number > marker);
  const parts = behind.slice(0, maxParts);
  const isTruncated = parts.length > 0 && behind.length > parts.length;
  return xmlAnswer(
    xml("ListPartsResult", [
      xml("Bucket", request.bucket),
      xml("Key", request.key),
      xml("UploadId", upload.id),
      owner("Initiator"),
      owner(),
      xml("StorageClass", "STANDARD"),
      xml("PartNumberMarker", marker),
      ...xmlIfAny("NextPartNumberMarker", parts.at(-1)?.number),
      xml("MaxParts", maxParts),
      xml("IsTruncated", isTruncated),
      ...xmlIfAny("ChecksumAlgorithm", upload.checksum?.algorithm.toUpperCase()),
      ...xmlIfAny("ChecksumType", upload.checksum?.type),
      ...parts.map((part) =>
        xml("Part", [
          xml("PartNumber", part.number),
          xml("LastModified", isoTime(part.modifiedAt)),
          xml("ETag", quoted(part.etag)),
          xml("Size", part.sizeBytes),
          ...checksumXml(part.checksum),
        ]),
      ),
    ]),
  );
};

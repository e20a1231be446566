/** GET /bucket?uploads : the multipart uploads that were begun and neither completed nor aborted. */
import { paginate, type KeyCursor } from "../paginate.ts";
import type { Upload } from "../object-store.ts";
import { type Xml, xml, xmlIfAny } from "../xml/write-xml.ts";
import { commonPrefixXml, owner } from "./listing-xml.ts";
import { bucketOf, type Operation, xmlAnswer } from "./operation.ts";
import { isoTime, pageSize, textEncoder } from "./parameters.ts";

export const listMultipartUploads: Operation = async (context, request) => {
  const { query } = request;
  const encode = textEncoder(request);
  const [prefix = "", delimiter = "", keyMarker = "", idMarker = ""] = [
    "prefix",
    "delimiter",
    "key-marker",
    "upload-id-marker",
  ].map((name) => query.get(name) ?? "");
  const maxUploads = pageSize(request, "max-uploads");
  const uploads = await bucketOf(context, request).uploads.list();
  const page = await paginate(cursorOver(uploads), {
    prefix,
    delimiter,
    after: markerOf(uploads, keyMarker, idMarker),
    maxEntries: maxUploads,
  });
  const last = page.next === undefined ? undefined : uploads.find((it) => nameOf(it) === page.next);
  const nextKey = page.next === undefined ? undefined : encode(last?.key ?? page.next);
  return xmlAnswer(
    xml("ListMultipartUploadsResult", [
      xml("Bucket", request.bucket),
      xml("Prefix", encode(prefix)),
      xml("KeyMarker", encode(keyMarker)),
      xml("UploadIdMarker", idMarker),
      ...xmlIfAny("NextKeyMarker", nextKey),
      ...xmlIfAny("NextUploadIdMarker", last?.id),
      xml("MaxUploads", maxUploads),
      ...xmlIfAny("Delimiter", delimiter === "" ? undefined : encode(delimiter)),
      ...xmlIfAny("EncodingType", query.get("encoding-type")),
      xml("IsTruncated", page.next !== undefined),
      ...page.items.map((upload) => uploadXml(upload, encode)),
      ...commonPrefixXml(page.commonPrefixes, encode),
    ]),
  );
};

/** A key may have several uploads; what they are paged by tells them apart, and sorts as the list does. */
function nameOf({ key, initiatedAt, id }: Upload): string {
  return `${key}\0${String(initiatedAt).padStart(15, "0")}${id}`;
}

function cursorOver(uploads: readonly Upload[]): KeyCursor<Upload> {
  const names = uploads.map((item) => ({ key: Buffer.from(nameOf(item)), item }));
  return {
    next: async (atLeast) => names.find(({ key }) => Buffer.compare(key, atLeast) >= 0),
  };
}

/** Behind the upload that ended a page; with a key alone, behind all uploads of that key. */
function markerOf(uploads: readonly Upload[], key: string, id: string): string {
  const last = uploads.find((upload) => upload.key === key && upload.id === id);
  if (last) return nameOf(last);
  const isOneOfThese = uploads.some((upload) => upload.key === key);
  return isOneOfThese ? `${key}\0~` : key;
}

function uploadXml(upload: Upload, encode: (text: string) => string): Xml {
  return xml("Upload", [
    xml("Key", encode(upload.key)),
    xml("UploadId", upload.id),
    owner("Initiator"),
    owner(),
    xml("StorageClass", "STANDARD"),
    xml("Initiated", isoTime(upload.initiatedAt)),
    ...xmlIfAny("ChecksumAlgorithm", upload.checksum?.algorithm.toUpperCase()),
    ...xmlIfAny("ChecksumType", upload.checksum?.type),
  ]);
}

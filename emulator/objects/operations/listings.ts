/** The listings of objects, of multipart uploads, and of the parts of an upload. */
import type { ObjectInfo, Upload } from "../object-store.ts";
import { type KeyCursor, paginate } from "../paginate.ts";
import type { XmlElements } from "../xml/write-xml.ts";
import { quoted } from "./attributes.ts";
import { checksumElements, typeOf } from "./checksums.ts";
import { bucketOf, type Operation, type S3Request, xmlAnswer } from "./operation.ts";
import {
  isoTime,
  numberIn,
  OWNER,
  pageSize,
  textEncoder,
  textOfToken,
  tokenOf,
} from "./parameters.ts";
import { uploadOf } from "./uploads.ts";

/** GET /bucket : the objects of a bucket. `list-type=2` selects the second version of the operation. */
export const listObjects: Operation = async (request) => {
  const { query, bucket } = request;
  const isSecond = query.has("list-type");
  const encode = textEncoder(request);
  const { prefix, delimiter, written } = scopeOf(request);
  const startAfter = query.get("start-after") ?? "";
  const marker = query.get("marker") ?? "";
  const token = isSecond ? query.get("continuation-token") : undefined;
  const maxEntries = pageSize(request, "max-keys");
  const after = token === undefined ? (isSecond ? startAfter : marker) : textOfToken(token);
  const page = await bucketOf(request).list({ prefix, delimiter, after, maxEntries });
  const { items, commonPrefixes, next } = page;
  const withOwner = !isSecond || query.get("fetch-owner") === "true";
  return xmlAnswer("ListBucketResult", {
    Name: bucket,
    Prefix: encode(prefix),
    ...(isSecond
      ? {
          ContinuationToken: token,
          NextContinuationToken: next === undefined ? undefined : tokenOf(next),
          StartAfter: startAfter === "" ? undefined : encode(startAfter),
          KeyCount: items.length + commonPrefixes.length,
        }
      : { Marker: encode(marker), NextMarker: next === undefined ? undefined : encode(next) }),
    MaxKeys: maxEntries,
    ...written,
    IsTruncated: next !== undefined,
    Contents: items.map((info) => objectElements(info, encode, withOwner)),
    CommonPrefixes: commonPrefixes.map((each) => ({ Prefix: encode(each) })),
  });
};

/** The query of a listing, and the elements that repeat it in the answer. */
function scopeOf(request: S3Request) {
  const { query } = request;
  const delimiter = query.get("delimiter") ?? "";
  const written = {
    Delimiter: delimiter === "" ? undefined : textEncoder(request)(delimiter),
    EncodingType: query.get("encoding-type"),
  };
  return { prefix: query.get("prefix") ?? "", delimiter, written };
}

function objectElements(
  info: ObjectInfo,
  encode: (text: string) => string,
  withOwner: boolean,
): XmlElements {
  const { checksum } = info;
  return {
    Key: encode(info.key),
    LastModified: isoTime(info.modifiedAt),
    ETag: quoted(info.etag),
    ChecksumAlgorithm: checksum?.algorithm.toUpperCase(),
    ChecksumType: checksum && typeOf(checksum),
    Size: info.sizeBytes,
    StorageClass: "STANDARD",
    Owner: withOwner ? OWNER : undefined,
  };
}

/** GET /bucket?uploads : the open multipart uploads. */
export const listMultipartUploads: Operation = async (request) => {
  const { query } = request;
  const encode = textEncoder(request);
  const { prefix, delimiter, written } = scopeOf(request);
  const keyMarker = query.get("key-marker") ?? "";
  const idMarker = query.get("upload-id-marker") ?? "";
  const maxEntries = pageSize(request, "max-uploads");
  const uploads = await bucketOf(request).uploads.list();
  const after = markerOf(uploads, keyMarker, idMarker);
  const cursor = cursorOver(uploads);
  const page = await paginate(cursor, { prefix, delimiter, after, maxEntries });
  const { items, commonPrefixes, next } = page;
  const last = next === undefined ? undefined : uploads.find((it) => nameOf(it) === next);
  return xmlAnswer("ListMultipartUploadsResult", {
    Bucket: request.bucket,
    Prefix: encode(prefix),
    KeyMarker: encode(keyMarker),
    UploadIdMarker: idMarker,
    NextKeyMarker: next === undefined ? undefined : encode(last?.key ?? next),
    NextUploadIdMarker: last?.id,
    MaxUploads: maxEntries,
    ...written,
    IsTruncated: next !== undefined,
    Upload: items.map((upload) => ({
      Key: encode(upload.key),
      UploadId: upload.id,
      ...OF_UPLOADS,
      Initiated: isoTime(upload.initiatedAt),
      ...kindOfChecksum(upload),
    })),
    CommonPrefixes: commonPrefixes.map((each) => ({ Prefix: encode(each) })),
  });
};

/** The paging name of an upload. It is unique where a key has several uploads, and sorts as the list does. */
function nameOf({ key, initiatedAt, id }: Upload): string {
  return `${key}\0${String(initiatedAt).padStart(15, "0")}${id}`;
}

function cursorOver(uploads: readonly Upload[]): KeyCursor<Upload> {
  const names = uploads.map((item) => ({ key: Buffer.from(nameOf(item)), item }));
  return {
    next: async (atLeast) => names.find(({ key }) => Buffer.compare(key, atLeast) >= 0),
  };
}

/** The name after the last upload of a page; with a key alone, after all uploads of that key. */
function markerOf(uploads: readonly Upload[], key: string, id: string): string {
  const last = uploads.find((upload) => upload.key === key && upload.id === id);
  if (last) return nameOf(last);
  const isOneOfThese = uploads.some((upload) => upload.key === key);
  return isOneOfThese ? `${key}\0~` : key;
}

/** GET /bucket/key?uploadId : the parts of a multipart upload. */
export const listParts: Operation = async (request) => {
  const upload = await uploadOf(request);
  const marker = numberIn(request.query, "part-number-marker", 0) ?? 0;
  const maxParts = pageSize(request, "max-parts");
  const all = await bucketOf(request).uploads.parts(upload);
  const behind = all.filter(({ number }) => number > marker);
  const parts = behind.slice(0, maxParts);
  return xmlAnswer("ListPartsResult", {
    Bucket: request.bucket,
    Key: request.key,
    UploadId: upload.id,
    ...OF_UPLOADS,
    PartNumberMarker: marker,
    NextPartNumberMarker: parts.at(-1)?.number,
    MaxParts: maxParts,
    IsTruncated: parts.length > 0 && behind.length > parts.length,
    ...kindOfChecksum(upload),
    Part: parts.map((part) => ({
      PartNumber: part.number,
      LastModified: isoTime(part.modifiedAt),
      ETag: quoted(part.etag),
      Size: part.sizeBytes,
      ...checksumElements(part.checksum),
    })),
  });
};

const OF_UPLOADS = { Initiator: OWNER, Owner: OWNER, StorageClass: "STANDARD" };

function kindOfChecksum({ checksum }: Upload): XmlElements {
  return { ChecksumAlgorithm: checksum?.algorithm.toUpperCase(), ChecksumType: checksum?.type };
}

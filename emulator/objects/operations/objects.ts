/** The operations on objects. */
import { z } from "zod";
import { checkKey } from "../object-key.ts";
import type { Attributes, OpenObject } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";
import { several, readXml } from "../xml/read-xml.ts";
import { attributesOf, checkHeader, headersOf, KEPT_HEADERS, quoted } from "./attributes.ts";
import { checksumHeaders } from "./checksums.ts";
import { checkRead, wantsRange, writeCondition } from "./conditions.ts";
import { copySourceOf, openSource } from "./copy-source.ts";
import {
  bucketOf,
  type Operation,
  type S3Answer,
  type S3Request,
  xmlAnswer,
  XML_MAX_BYTES,
} from "./operation.ts";
import { isoTime, PUT_MAX_BYTES, rangeOf } from "./parameters.ts";

/** GET /bucket/key : an object, or a range of it. */
export const getObject: Operation = async (request) => {
  const object = await bucketOf(request).open(request.key);
  try {
    return answerWith(object, request);
  } catch (error) {
    await object[Symbol.asyncDispose]();
    throw error;
  }
};

function answerWith(object: OpenObject, { headers, query }: S3Request): S3Answer {
  const { info } = object;
  checkRead(headers, info);
  const { sizeBytes } = info;
  const range = wantsRange(headers, info) ? rangeOf(headers.get("range"), sizeBytes) : undefined;
  // A client may override the stored headers in the answer.
  const overrides = KEPT_HEADERS.flatMap((header) => {
    const parameter = `response-${header}`;
    const value = query.get(parameter);
    if (value === undefined) return [];
    checkHeader(header, value, parameter);
    return [[header, value] as const];
  });
  // With a range the checksum is omitted: a client would compare the range with it.
  const wantsChecksum = headers.get("x-amz-checksum-mode")?.toUpperCase() === "ENABLED" && !range;
  return {
    status: range ? 206 : 200,
    headers: {
      ...headersOf(info),
      ...Object.fromEntries(overrides),
      ...(wantsChecksum && checksumHeaders(info.checksum)),
      "content-length": range ? range.end - range.start + 1 : sizeBytes,
      ...(range && { "content-range": `bytes ${range.start}-${range.end}/${sizeBytes}` }),
    },
    body: { object, range },
  };
}

/** HEAD /bucket/key : the headers that a GET would answer, without the content. */
export const headObject: Operation = async (request) => {
  const { body, ...answer } = await getObject(request);
  if (typeof body === "object") await body.object[Symbol.asyncDispose]();
  return answer;
};

/** PUT /bucket/key : makes or replaces an object. */
export const putObject: Operation = async (request) => {
  const bucket = bucketOf(request);
  const options = { ...attributesOf(request.headers), ...writeCondition(request.headers) };
  const content = request.body.content(PUT_MAX_BYTES);
  const checksum = () => content.checksum;
  const info = await bucket.put(request.key, content.read(), { ...options, checksum });
  return { status: 200, headers: { etag: quoted(info.etag), ...checksumHeaders(info.checksum) } };
};

/** PUT /bucket/key with x-amz-copy-source : copies an object. */
export const copyObject: Operation = async (request) => {
  const { headers } = request;
  const bucket = bucketOf(request);
  const source = copySourceOf(request);
  const replacing = replacingAttributes(request);
  if (!replacing && source.bucket === request.bucket && source.key === request.key) {
    throw new S3Error(
      "InvalidRequest",
      "an object can be copied to itself only with x-amz-metadata-directive: REPLACE",
    );
  }
  await using from = await openSource(request, source);
  if (from.info.sizeBytes > PUT_MAX_BYTES) {
    throw new S3Error("InvalidRequest", "an object over 5 GiB must be copied in parts");
  }
  const info = await bucket.put(request.key, from.read(), {
    ...(replacing ?? { headers: from.info.headers, metadata: from.info.metadata }),
    ...writeCondition(headers),
  });
  const result = { LastModified: isoTime(info.modifiedAt), ETag: quoted(info.etag) };
  return xmlAnswer("CopyObjectResult", result);
};

/** The attributes of a copy; undefined for those of its source. */
function replacingAttributes({ headers }: S3Request): Attributes | undefined {
  const directive = headers.get("x-amz-metadata-directive") ?? "COPY";
  if (directive === "REPLACE") return attributesOf(headers);
  if (directive === "COPY") return undefined;
  throw new S3Error("InvalidArgument", "x-amz-metadata-directive must be COPY or REPLACE");
}

/** DELETE /bucket/key : deletes an object. A missing object is no error. */
export const deleteObject: Operation = async (request) => {
  await bucketOf(request).delete(request.key);
  return { status: 204 };
};

const MAX_DELETED_KEYS = 1_000;

const deletion = z.object({
  Delete: z.object({
    Object: several(z.object({ Key: z.string() })),
    Quiet: z.string().optional(),
  }),
});

/** POST /bucket?delete : deletes up to a thousand objects. The answer has an error for each object that was refused. */
export const deleteObjects: Operation = async (request) => {
  const bucket = bucketOf(request);
  const { Delete: wanted } = readXml(await request.body.text(XML_MAX_BYTES), deletion);
  if (wanted.Object.length > MAX_DELETED_KEYS) {
    const message = `at most ${MAX_DELETED_KEYS} objects can be deleted at a time`;
    throw new S3Error("MalformedXML", message);
  }
  const deleted: { readonly Key: string }[] = [];
  const refused: { readonly Key: string; readonly Code: string; readonly Message: string }[] = [];
  for (const { Key } of wanted.Object) {
    try {
      checkKey(Key);
      await bucket.delete(Key);
      deleted.push({ Key });
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      refused.push({ Key, Code: error.code, Message: error.message });
    }
  }
  const isQuiet = wanted.Quiet?.trim() === "true";
  return xmlAnswer("DeleteResult", { Deleted: isQuiet ? [] : deleted, Error: refused });
};

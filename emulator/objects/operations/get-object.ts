/** GET /bucket/key : an object, or a range of it. */
import { checkHeader } from "../header-text.ts";
import type { OpenObject } from "../object-store.ts";
import { headersOf } from "./attributes-of-request.ts";
import { rangeOf } from "./byte-range.ts";
import { checksumOfRead } from "./checksum-headers.ts";
import { checkRead, wantsRange } from "./conditions.ts";
import { bucketOf, type Operation, type S3Answer, type S3Request } from "./operation.ts";

/** What a client may have the answer say instead of what is kept with the object: parameter to header. */
const OVERRIDES: Readonly<Record<string, string>> = {
  "response-cache-control": "cache-control",
  "response-content-disposition": "content-disposition",
  "response-content-encoding": "content-encoding",
  "response-content-language": "content-language",
  "response-content-type": "content-type",
  "response-expires": "expires",
};

export const getObject: Operation = async (context, request) => {
  const object = await bucketOf(context, request).open(request.key);
  try {
    return answer(request, object);
  } catch (error) {
    await object[Symbol.asyncDispose]();
    throw error;
  }
};

function answer(request: S3Request, object: OpenObject): S3Answer {
  const { headers, query } = request;
  const { info } = object;
  checkRead(headers, info);
  const { sizeBytes } = info;
  const range = wantsRange(headers, info) ? rangeOf(headers.get("range"), sizeBytes) : undefined;
  const overrides = Object.entries(OVERRIDES).flatMap(([parameter, header]) => {
    const value = query.get(parameter);
    if (value === undefined) return [];
    checkHeader(header, value, parameter);
    return [[header, value] as const];
  });
  return {
    status: range ? 206 : 200,
    headers: {
      ...headersOf(info),
      ...Object.fromEntries(overrides),
      ...checksumOfRead(headers, info, range === undefined),
      "content-length": range ? range.end - range.start + 1 : sizeBytes,
      ...(range && { "content-range": `bytes ${range.start}-${range.end}/${sizeBytes}` }),
    },
    body: { object, range },
  };
}

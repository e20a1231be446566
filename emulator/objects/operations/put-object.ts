/** PUT /bucket/key : makes or replaces an object. */
import { attributesOf, quoted } from "./attributes-of-request.ts";
import { checksumHeaders } from "./checksum-headers.ts";
import { writeCondition } from "./conditions.ts";
import { PUT_MAX_BYTES } from "./object-size.ts";
import { bucketOf, type Operation } from "./operation.ts";

export const putObject: Operation = async (context, request) => {
  const bucket = bucketOf(context, request);
  const options = { ...attributesOf(request.headers), ...writeCondition(request.headers) };
  const content = request.body.content(PUT_MAX_BYTES);
  const checksum = () => content.checksum;
  const info = await bucket.put(request.key, content.read(), { ...options, checksum });
  return { status: 200, headers: { etag: quoted(info.etag), ...checksumHeaders(info.checksum) } };
};

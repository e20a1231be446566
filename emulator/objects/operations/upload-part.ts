/** PUT /bucket/key?partNumber&uploadId : one part of a multipart upload. */
import { quoted } from "./attributes-of-request.ts";
import { checksumHeaders } from "./checksum-headers.ts";
import { PUT_MAX_BYTES } from "./object-size.ts";
import { bucketOf, type Operation } from "./operation.ts";
import { partNumberOf, uploadOf } from "./upload-of-request.ts";

export const uploadPart: Operation = async (context, request) => {
  const { uploads } = bucketOf(context, request);
  const number = partNumberOf(request);
  const upload = await uploadOf(context, request);
  const content = request.body.content(PUT_MAX_BYTES);
  const part = await uploads.putPart(upload, number, content.read(), () => content.checksum);
  const { "x-amz-checksum-type": _, ...checksum } = checksumHeaders(part.checksum);
  return { status: 200, headers: { etag: quoted(part.etag), ...checksum } };
};

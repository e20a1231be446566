/** DELETE /bucket/key?uploadId : drops a multipart upload and its parts. */
import { bucketOf, type Operation } from "./operation.ts";
import { uploadOf } from "./upload-of-request.ts";

export const abortMultipartUpload: Operation = async (context, request) => {
  const upload = await uploadOf(context, request);
  await bucketOf(context, request).uploads.abort(upload);
  return { status: 204 };
};

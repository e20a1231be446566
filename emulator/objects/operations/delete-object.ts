/** DELETE /bucket/key : drops an object; that there is none is as good. */
import { bucketOf, type Operation } from "./operation.ts";

export const deleteObject: Operation = async (context, request) => {
  await bucketOf(context, request).delete(request.key);
  return { status: 204 };
};

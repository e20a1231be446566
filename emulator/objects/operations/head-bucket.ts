/** HEAD /bucket : whether there is one. */
import { REGION } from "../region.ts";
import { bucketOf, type Operation } from "./operation.ts";

export const headBucket: Operation = async (context, request) => {
  bucketOf(context, request);
  return { status: 200, headers: { "x-amz-bucket-region": REGION } };
};

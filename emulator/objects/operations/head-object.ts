/** HEAD /bucket/key : what is known of an object. It answers what a GET would, and no content. */
import { getObject } from "./get-object.ts";
import type { Operation } from "./operation.ts";

export const headObject: Operation = async (context, request) => {
  const { body, ...answer } = await getObject(context, request);
  if (typeof body === "object") await body.object[Symbol.asyncDispose]();
  return answer;
};

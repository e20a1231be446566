/** GET /bucket?location : the region of a bucket; that of us-east-1 is empty, as S3 has it. */
import { xml } from "../xml/write-xml.ts";
import { bucketOf, type Operation, xmlAnswer } from "./operation.ts";

export const getBucketLocation: Operation = async (context, request) => {
  bucketOf(context, request);
  return xmlAnswer(xml("LocationConstraint", ""));
};

/** GET /bucket?versioning : whether versions are kept; they are not. Some clients ask before they delete. */
import { xml } from "../xml/write-xml.ts";
import { bucketOf, type Operation, xmlAnswer } from "./operation.ts";

export const getBucketVersioning: Operation = async (context, request) => {
  bucketOf(context, request);
  return xmlAnswer(xml("VersioningConfiguration", ""));
};

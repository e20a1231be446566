/** GET / : all buckets there are. */
import { xml } from "../xml/write-xml.ts";
import { type Operation, xmlAnswer } from "./operation.ts";
import { owner } from "./listing-xml.ts";
import { isoTime } from "./parameters.ts";

export const listBuckets: Operation = async ({ store }) => {
  const buckets = store
    .buckets()
    .map(({ name, createdAt }) =>
      xml("Bucket", [xml("Name", name), xml("CreationDate", isoTime(createdAt))]),
    );
  return xmlAnswer(xml("ListAllMyBucketsResult", [owner(), xml("Buckets", buckets)]));
};

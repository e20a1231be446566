/** GET /bucket : the objects of a bucket, in the first version of the operation. */
import { xml, xmlIfAny } from "../xml/write-xml.ts";
import { contents } from "./listing-xml.ts";
import { bucketOf, type Operation, xmlAnswer } from "./operation.ts";
import { pageSize, textEncoder } from "./parameters.ts";

export const listObjects: Operation = async (context, request) => {
  const { query } = request;
  const encode = textEncoder(request);
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const marker = query.get("marker") ?? "";
  const maxEntries = pageSize(request, "max-keys");
  const page = await bucketOf(context, request).list({
    prefix,
    delimiter,
    after: marker,
    maxEntries,
  });
  return xmlAnswer(
    xml("ListBucketResult", [
      xml("Name", request.bucket),
      xml("Prefix", encode(prefix)),
      xml("Marker", encode(marker)),
      ...xmlIfAny("NextMarker", page.next === undefined ? undefined : encode(page.next)),
      xml("MaxKeys", maxEntries),
      ...xmlIfAny("Delimiter", delimiter === "" ? undefined : encode(delimiter)),
      ...xmlIfAny("EncodingType", query.get("encoding-type")),
      xml("IsTruncated", page.next !== undefined),
      ...contents(page, encode, true),
    ]),
  );
};

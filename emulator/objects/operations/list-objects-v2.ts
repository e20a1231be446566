/** GET /bucket?list-type=2 : the objects of a bucket. */
import { xml, xmlIfAny } from "../xml/write-xml.ts";
import { contents } from "./listing-xml.ts";
import { bucketOf, type Operation, xmlAnswer } from "./operation.ts";
import { pageSize, textEncoder, textOfToken, tokenOf } from "./parameters.ts";

export const listObjectsV2: Operation = async (context, request) => {
  const { query } = request;
  const encode = textEncoder(request);
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const startAfter = query.get("start-after") ?? "";
  const token = query.get("continuation-token");
  const maxEntries = pageSize(request, "max-keys");
  const page = await bucketOf(context, request).list({
    prefix,
    delimiter,
    after: token === undefined ? startAfter : textOfToken(token),
    maxEntries,
  });
  const next = page.next === undefined ? undefined : tokenOf(page.next);
  return xmlAnswer(
    xml("ListBucketResult", [
      xml("Name", request.bucket),
      xml("Prefix", encode(prefix)),
      ...xmlIfAny("ContinuationToken", token),
      ...xmlIfAny("NextContinuationToken", next),
      ...xmlIfAny("StartAfter", startAfter === "" ? undefined : encode(startAfter)),
      xml("KeyCount", page.items.length + page.commonPrefixes.length),
      xml("MaxKeys", maxEntries),
      ...xmlIfAny("Delimiter", delimiter === "" ? undefined : encode(delimiter)),
      ...xmlIfAny("EncodingType", query.get("encoding-type")),
      xml("IsTruncated", next !== undefined),
      ...contents(page, encode, query.get("fetch-owner") === "true"),
    ]),
  );
};

/** POST /bucket?delete : drops up to a thousand objects at a time. */
import { z } from "zod";
import { checkKey } from "../object-key.ts";
import { S3Error } from "../s3-error.ts";
import { readXml } from "../xml/read-xml.ts";
import { type Xml, xml } from "../xml/write-xml.ts";
import { bucketOf, type Operation, xmlAnswer, XML_MAX_BYTES } from "./operation.ts";
import { several } from "./several.ts";

const MAX_KEYS = 1_000;

const schema = z.object({
  Delete: z.object({
    Object: several(z.object({ Key: z.string() })),
    Quiet: z.string().optional(),
  }),
});

export const deleteObjects: Operation = async (context, request) => {
  const bucket = bucketOf(context, request);
  const { Delete: wanted } = readXml(await request.body.text(XML_MAX_BYTES), schema);
  if (wanted.Object.length > MAX_KEYS) {
    throw new S3Error("MalformedXML", `at most ${MAX_KEYS} objects can be deleted at a time`);
  }
  const results: Xml[] = [];
  for (const { Key: key } of wanted.Object) {
    const failure = await failureOf(async () => {
      checkKey(key);
      await bucket.delete(key);
    });
    if (failure) results.push(errorXml(key, failure));
    else if (wanted.Quiet?.trim() !== "true") results.push(xml("Deleted", [xml("Key", key)]));
  }
  return xmlAnswer(xml("DeleteResult", results));
};

/** What is refused of one key is said beside the others; a defect is nobody's answer. */
async function failureOf(work: () => Promise<void>): Promise<S3Error | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof S3Error) return error;
    throw error;
  }
}

function errorXml(key: string, { code, message }: S3Error): Xml {
  return xml("Error", [xml("Key", key), xml("Code", code), xml("Message", message)]);
}

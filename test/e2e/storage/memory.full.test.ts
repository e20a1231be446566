/** An upload of a stream of any size takes bounded memory. */
import { expect, test } from "vitest";
import { z } from "zod";
import { Program } from "../../../bench/asking.ts";

const answerShape = z.object({ raisedBytes: z.number() });

test("2 GB from a stream raise RSS by less than 100 MB, the S3 client included", async () => {
  await using sink = new Program("s3-sink");
  const endpoint = await sink.ask(z.string(), {});
  await using program = new Program("upload");
  const question = { by: "ours", endpoint, bytes: 2_000_000_000 };
  const { raisedBytes } = await program.ask(answerShape, question);
  expect(raisedBytes).toBeLessThan(100_000_000);
});

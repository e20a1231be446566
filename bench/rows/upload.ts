/** Row: speed and memory of `context.upload` for a large stream, beside the SDK's own Upload. */
import { z } from "zod";
import { Program } from "../asking.ts";
import { type Bench, interleave } from "../bench.ts";
import { atLeast, type Line, lineOf } from "../line.ts";
import { summarize } from "../statistics.ts";
import type { Row } from "./row.ts";

const MB = 1_000_000;
const MOST_RAISED_MB = 100;

const answerShape = z.object({ tookMs: z.number(), raisedBytes: z.number() });
type Answer = z.infer<typeof answerShape>;

async function measure(bench: Bench): Promise<readonly Line[]> {
  const bytes = (bench.quick ? 500 : 2_000) * MB;
  await using sink = new Program("s3-sink");
  const endpoint = await sink.ask(z.string(), {});
  const upload = (by: string) => async (): Promise<Answer> => {
    // Each way runs in its own process, because peak memory covers the whole life of a process.
    await using program = new Program("upload");
    return await program.ask(answerShape, { by, endpoint, bytes });
  };
  const { ours, sdk } = await interleave(bench, bench.quick ? 2 : bench.rounds, {
    ours: upload("ours"),
    sdk: upload("sdk"),
  });
  const what = `${bytes / MB} MB from a stream`;
  const beside = "the SDK's own Upload";
  const speed = ({ tookMs }: Answer): number => bytes / MB / (tookMs / 1000);
  const raised = ({ raisedBytes }: Answer): number => raisedBytes / MB;
  const memory = summarize(ours.map(raised));
  return [
    lineOf({
      what: `${what} to a sink`,
      unit: "MB/s",
      ours: ours.map(speed),
      beside,
      others: sdk.map(speed),
      target: (times) => atLeast(0.8, times),
    }),
    lineOf({
      what: `${what}: RSS raised by`,
      unit: "MB",
      ours: ours.map(raised),
      beside,
      others: sdk.map(raised),
      target: () => ({ text: `< ${MOST_RAISED_MB} MB`, met: memory.high < MOST_RAISED_MB }),
    }),
  ];
}

export const upload: Row = {
  id: "upload",
  title: "A stream uploaded in parts, loading the S3 client included",
  measure,
};

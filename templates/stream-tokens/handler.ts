// The handler: each yield is a chunk of the job's stream, which clients read while the job runs.
import { defineHandler } from "sv-runtime";
import { loadModel } from "./model.ts";
import { input } from "./schema.ts";

export default defineHandler({
  input,
  /** Once in each handler process, before its first job. */
  setup: loadModel,
  async *run(job, { state: model, signal }) {
    let tokens = 0;
    for await (const text of model.generate(job.input, signal)) {
      tokens += 1;
      yield { text, tokens };
    }
  },
});

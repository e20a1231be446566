/** A whole emulator with an endpoint for workers that are started by hand. */
import { expect, it } from "vitest";
import { startEmulator } from "../../../emulator/index.ts";
import { KEY } from "../http/http-harness.ts";
import { SdkWorker } from "../../live/sdk-worker.ts";

it("workers started by hand can work for an endpoint that starts none, until the service stops", async () => {
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  await using emulator = await startEmulator({ port: 0, apiKey: KEY, s3: false, log: quiet });
  const { url } = emulator;
  const call = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${KEY}` };
    const options = body ? { method: "POST", body: JSON.stringify(body) } : {};
    const answer = await fetch(`${url}${path}`, { headers, ...options });
    const text = await answer.text();
    expect(answer.ok, text).toBe(true);
    return JSON.parse(text) as { readonly id: string };
  };
  const image = { name: "by-hand", imageName: "none", isServerless: true };
  const template = await call("/v1/templates", image);
  const settings = { templateId: template.id, workersMin: 0, workersMax: 0 };
  const { id: endpointId } = await call("/v1/endpoints", settings);
  const worker = new SdkWorker({ url, endpointId, workerId: "by-hand", key: KEY });
  const taken = worker.take();
  const { id } = await call(`/v2/${endpointId}/run`, { input: { n: 1 } });
  expect(await taken).toMatchObject({ id, input: { n: 1 } });
  await worker.ping([id]);
  await worker.stream(id, "a");
  await worker.done(id, { output: 2 }, true);
  expect(await call(`/v2/${endpointId}/status/${id}`)).toMatchObject({
    status: "COMPLETED",
    output: 2,
    workerId: "by-hand",
  });
  const polls = Promise.all([worker.take(), worker.jobsToStop()]);
  // Their answers come in order, so that the polls are there before the service stops.
  await worker.ping();
  await emulator.stop();
  expect(await polls).toEqual([undefined, []]);
});

/** Probable mistakes in accepted requests are logged. */
import { expect, it } from "vitest";
import { startTestHttp, type TestHttp } from "./http-harness.ts";

function warnings({ test }: TestHttp, words: string): readonly object[] {
  return test.logged.filter(({ level, message }) => level === "warn" && message.includes(words));
}

it.each(["run", "runsync?wait=1000"])(
  "a key similar to a known one is logged once (%s)",
  async (how) => {
    await using service = await startTestHttp();
    const worker = await service.test.connectWorker();
    const submit = async () => {
      const body = { input: {}, webook: "https://example.com/", other: 1, polcy: {} };
      const answer = service.call("POST", `/v2/echo/${how}`, { body });
      await worker.complete(await worker.nextJob());
      await worker.grant();
      expect((await answer).status).toBe(200);
    };
    await submit();
    await submit();
    expect(warnings(service, "did you mean")).toEqual([
      expect.objectContaining({
        message: 'a submission has the unknown key "webook"; did you mean webhook?',
      }),
      expect.objectContaining({
        message: 'a submission has the unknown key "polcy"; did you mean policy?',
      }),
    ]);
  },
);

it("a key that resembles no known one gets no suggestion, and of very many keys only some are checked", async () => {
  await using service = await startTestHttp();
  const many = Array.from({ length: 5_000 }, (_, at) => [`policy${at % 10}${at}`, 1] as const);
  const body = { input: {}, id: "x", priority: 1, ...Object.fromEntries(many), webook: 1 };
  expect((await service.call("POST", "/v2/echo/run", { body })).status).toBe(200);
  expect(warnings(service, "webook")).toEqual([]);
  expect(warnings(service, "did you mean").length).toBeLessThan(33);
});

it("an unknown GPU type of an endpoint or a pod is logged", async () => {
  await using service = await startTestHttp();
  const call: typeof service.call = (...sent) => service.call(...sent);
  const template = { name: "t", imageName: "a/b:1", isServerless: true };
  const { id: templateId } = (await call("POST", "/v1/templates", { body: template })).json as {
    id: string;
  };
  const told = () => warnings(service, "did you mean NVIDIA GeForce RTX 4090?").length;
  const gpuTypeIds = ["NVIDIA L4", "NVIDIA GeForce RTX 4909"];
  const { json } = await call("POST", "/v1/endpoints", { body: { templateId, gpuTypeIds } });
  expect(json).toMatchObject({ gpuTypeIds });
  expect(told()).toBe(1);
  const { id } = json as { readonly id: string };
  await call("PATCH", `/v1/endpoints/${id}`, { body: { workersMax: 1 } });
  expect(told()).toBe(1);
  await call("PATCH", `/v1/endpoints/${id}`, { body: { gpuTypeIds: ["NVIDIA GeForce RTX 490"] } });
  expect(told()).toBe(2);
  await call("POST", "/v1/pods", { body: { name: "p", imageName: "a/b:1", gpuTypeIds } });
  expect(told()).toBe(3);
  await call("PATCH", `/v1/endpoints/${id}`, { body: { gpuTypeIds: ["NVIDIA Something New"] } });
  expect(warnings(service, "GPU type")).toHaveLength(3);
});

/** An endpoint and its jobs when its deletion meets a submission, or a full disk. */
import { expect, it } from "vitest";
import { deleteEndpoint } from "../../../../../emulator/engine/resources/endpoints/manage-endpoints.ts";
import { createMemoryStore } from "../../../../../emulator/store/memory/memory-store.ts";
import { createTestEngine } from "../../../engine-harness.ts";
import { storeThatFills } from "../../filling-store.ts";
import { storeWith } from "../../store-with.ts";

it("a submission is refused if its endpoint was deleted while its payload was written", async () => {
  const { promise: written, resolve: finishWriting } = Promise.withResolvers<void>();
  const store = createMemoryStore();
  const slow = storeWith(store, {
    async stage(bytes) {
      await written;
      return store.stage(bytes);
    },
  });
  await using test = await createTestEngine(slow);
  const submitted = test.submit({ input: `{"a":"${"x".repeat(300_000)}"}` });
  await deleteEndpoint(test.engine, "echo");
  finishWriting();
  await expect(submitted).rejects.toMatchObject({ code: "endpoint_not_found" });
  expect(await store.jobsOf("echo", 0, 1)).toStrictEqual([]);
});

it("an endpoint is restored if its deletion cannot be stored", async () => {
  const { store, fill } = storeThatFills();
  await using test = await createTestEngine(store);
  await test.submit();
  fill(true);
  const deletion = deleteEndpoint(test.engine, "echo");
  await expect(test.submit()).rejects.toMatchObject({ code: "endpoint_not_found" });
  await expect(deletion).rejects.toMatchObject({ code: "storage_full" });
  fill(false);
  const job = await test.submit();
  expect(job.status).toBe("IN_QUEUE");
});

it("an endpoint is not deleted twice", async () => {
  await using test = await createTestEngine();
  const first = deleteEndpoint(test.engine, "echo");
  await expect(deleteEndpoint(test.engine, "echo")).rejects.toMatchObject({
    code: "endpoint_not_found",
  });
  await first;
});

it("an endpoint can be deleted while one of its jobs is in transit to a worker", async () => {
  await using test = await createTestEngine();
  const worker = await test.connectWorker("echo", { credit: 0 });
  await test.submit();
  await Promise.all([worker.grant(), deleteEndpoint(test.engine, "echo")]);
  await test.clock.settle();
  expect(test.logged.filter(({ level }) => level === "error")).toEqual([]);
});

/** Workers from elsewhere: the scope of their tokens, and the fate of the workers and their jobs. */
import tls from "node:tls";
import { describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../../emulator/options.ts";
import { makeCertificate, writeCertificate } from "../../setup/certificates.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { SdkWorker } from "../../live/sdk-worker.ts";
import { ENDPOINT, FarScene } from "./far-scene.ts";

describe("a worker from elsewhere", () => {
  it("takes jobs of its endpoint over TLS, counts as its worker, and no worker is started beside it", async () => {
    await using scene = await FarScene.start();
    const { key, workerAddresses } = await scene.token();
    expect(workerAddresses).toEqual([scene.address]);
    const worker = scene.worker(key);
    const id = await scene.submit({ n: 1 });
    const job = await worker.job();
    expect(await scene.workers()).toMatchObject({ running: 1, initializing: 0, throttled: 0 });
    expect(await worker.finish(job, { n: 2 })).toEqual({ accepted: true });
    const { workerId, ...status } = await scene.status(id);
    expect(status).toMatchObject({ status: "COMPLETED", output: { n: 2 } });
    expect(workerId).toMatch(/^ext-[\da-f]{16}$/u);
    expect(await scene.workers()).toMatchObject({ idle: 1, running: 0 });
    expect(await scene.call("GET", "/emulator/workers")).toMatchObject({
      workers: [{ id: workerId, launcher: "external", state: "ready", past: [{ jobId: id }] }],
    });
  });

  it("is asked to leave on request once it has no job, and no longer counts when it has left", async () => {
    await using scene = await FarScene.start();
    const worker = scene.worker((await scene.token()).key);
    const id = await scene.submit();
    const job = await worker.job();
    const { workerId = "" } = await scene.status(id);
    await scene.call("POST", `/emulator/workers/${workerId}/drain`);
    await scene.call("POST", `/emulator/workers/${workerId}/drain`);
    await scene.submit();
    expect(await worker.finish(job)).toEqual({ accepted: true });
    await worker.drained;
    worker.source.draining();
    await worker.source.close();
    await expect
      .poll(() => scene.call("GET", "/emulator/workers"))
      .toMatchObject({ workers: [{ id: workerId, state: "ended", end: "left" }] });
    await expect(scene.call("POST", `/emulator/workers/${workerId}/drain`)).rejects.toThrow(
      "worker_not_found",
    );
  });

  it("that is silent for a lease no longer counts, and its job goes to another", async () => {
    await using scene = await FarScene.start({ leaseMs: 1_000 });
    const { key } = await scene.token();
    const one = scene.worker(key);
    const id = await scene.submit();
    await one.job();
    await one.source.close();
    const other = scene.worker(key);
    expect(await other.finish(await other.job(), "other")).toEqual({ accepted: true });
    expect(await scene.status(id)).toMatchObject({ status: "COMPLETED", output: "other" });
    // The lease began before the silence, and may be over before it.
    await expect.poll(() => scene.workers()).toMatchObject({ idle: 1, running: 0 });
  });

  it("may speak the live protocol with its token", async () => {
    await using scene = await FarScene.start();
    const { key } = await scene.token();
    const { url } = scene.emulator;
    const live = new SdkWorker({ url, endpointId: ENDPOINT, workerId: "by-hand", key });
    const id = await scene.submit();
    expect(await live.take()).toMatchObject({ id });
    await live.done(id, { output: 1 }, true);
    expect(await scene.status(id)).toMatchObject({ status: "COMPLETED", workerId: "by-hand" });
    const elsewhere = new SdkWorker({ url, endpointId: "other", workerId: "by-hand", key });
    expect(await elsewhere.done(id, { output: 1 }, true)).toMatchObject({ status: 403 });
  });
});

describe("both sides log why they refuse", () => {
  it("an invalid, a revoked and an expired token, and a key with another purpose", async () => {
    await using scene = await FarScene.start();
    const both = async (token: string, sentence: string) => {
      expect(await scene.worker(token).refused).toContain(sentence);
      expect(scene.said.join("\n")).toContain(`a worker was refused: ${sentence}`);
    };
    const { key: good } = await scene.token();
    const fingerprint = good.slice(good.indexOf("."));
    await both(`sv_nobody${fingerprint}`, "the worker token is missing or not valid (any more)");
    const revoked = await scene.token();
    await scene.call("DELETE", `/emulator/keys/${revoked.id}`);
    await both(revoked.key, "the worker token is missing or not valid (any more)");
    const late = await scene.token({ name: "late", expiresIn: "1h" });
    await scene.call("POST", "/emulator/clock", { advance: "1h" });
    await both(late.key, 'the API key "late" has expired');
    // Such a key has no fingerprint.
    expect(await scene.worker(KEY_OF_ALL).refused).toContain(
      "no authority that this machine trusts",
    );
  });

  it("a certificate other than the token's", async () => {
    await using scene = await FarScene.start();
    await using another = await FarScene.start();
    const { key } = await another.token();
    const refused = await scene.worker(key).refused;
    expect(refused).toMatch(/the certificate of 127\.0\.0\.1:\d+ is not the one of the token/u);
  });
});

describe("the end of a token", () => {
  it("by revocation sends its worker away at once, its job goes to another at no cost, and its outcome does not count", async () => {
    await using scene = await FarScene.start();
    const revoked = await scene.token();
    const one = scene.worker(revoked.key);
    const id = await scene.submit();
    const job = await one.job();
    const other = scene.worker((await scene.token()).key);
    await scene.call("DELETE", `/emulator/keys/${revoked.id}`);
    const again = await other.job();
    expect([again.jobId, again.attempt]).toEqual([id, job.attempt + 1]);
    expect(await one.refused).toContain("not valid (any more)");
    expect(await other.finish(again, "other")).toEqual({ accepted: true });
    expect(await scene.call("GET", `/emulator/jobs/${id}`)).toMatchObject({ retries: 0 });
    expect(await scene.workers()).toMatchObject({ idle: 1, running: 0 });
  });

  it("by expiry sends its worker away too", async () => {
    await using scene = await FarScene.start();
    const worker = scene.worker((await scene.token({ expiresIn: "1h" })).key);
    const id = await scene.submit();
    await worker.job();
    await scene.call("POST", "/emulator/clock", { advance: "1h" });
    expect(await worker.refused).toContain("has expired");
    expect(await scene.status(id)).toMatchObject({ status: "IN_QUEUE" });
  });
});

describe("over a restart of the emulator", () => {
  it("a worker keeps its id and its job, and the outcome counts", async () => {
    using directory = temporaryDirectory();
    await using scene = await FarScene.start({ dataDir: directory.path });
    const worker = scene.worker((await scene.token()).key);
    const id = await scene.submit();
    const job = await worker.job();
    const before = await scene.status(id);
    await scene.emulator.stop();
    await scene.restart();
    expect(await scene.status(id)).toMatchObject({ status: "IN_PROGRESS" });
    expect(await worker.finish(job)).toEqual({ accepted: true });
    expect(await scene.status(id)).toMatchObject({ ...before, status: "COMPLETED" });
    expect(worker.revoked).toEqual([]);
  });

  it("a job goes to no other worker for a lease, and then returns to the queue without losing an attempt", async () => {
    using directory = temporaryDirectory();
    await using scene = await FarScene.start({ dataDir: directory.path, leaseMs: 1_000 });
    const { key } = await scene.token();
    const worker = scene.worker(key);
    const id = await scene.submit();
    const job = await worker.job();
    await scene.emulator.stop("kill");
    await worker.source.close();
    const startedAt = performance.now();
    await scene.restart();
    const other = scene.worker(key);
    const again = await other.job();
    expect(performance.now() - startedAt).toBeGreaterThan(700);
    expect([again.jobId, again.attempt]).toEqual([id, job.attempt + 1]);
    expect(await other.finish(again)).toEqual({ accepted: true });
    expect(await scene.call("GET", `/emulator/jobs/${id}`)).toMatchObject({ retries: 0 });
  });
});

describe("the port for workers", () => {
  it("has the certificate of HTTPS if there is one, and its renewals", async () => {
    using directory = temporaryDirectory();
    const certificate = makeCertificate();
    const files = writeCertificate(directory.path, certificate);
    const renewed = makeCertificate();
    const before = tls.getCACertificates("default");
    tls.setDefaultCACertificates([...before, certificate.cert, renewed.cert]);
    using _ = { [Symbol.dispose]: () => tls.setDefaultCACertificates(before) };
    await using scene = await FarScene.start({ tls: files });
    const { key } = await scene.token();
    expect(key).not.toContain(".");
    const one = scene.worker(key);
    await scene.submit();
    await one.finish(await one.job());
    writeCertificate(directory.path, renewed);
    await scene.emulator.rereadCertificate();
    tls.setDefaultCACertificates([...before, renewed.cert]);
    const two = scene.worker(key);
    await expect.poll(() => scene.workers()).toMatchObject({ idle: 2 });
    expect(await two.finish({ jobId: "none", leaseToken: "none" } as never)).toEqual({
      accepted: false,
    });
  });

  it("keeps its certificate over restarts, and reports when it cannot be decrypted any more", async () => {
    using directory = temporaryDirectory();
    const dataDir = directory.path;
    await using scene = await FarScene.start({ dataDir, secretKey: secretKey(1) });
    const { key } = await scene.token();
    await scene.emulator.stop();
    // A given secret is not read from the records, where the other key could not decrypt it.
    const webhookSecret = `whsec_${Buffer.alloc(24).toString("base64")}`;
    const other = FarScene.start({ dataDir, secretKey: secretKey(2), webhookSecret });
    await expect(other).rejects.toThrow(
      "the private key of the certificate for workers cannot be decrypted: the key is another one",
    );
    await scene.restart();
    expect((await scene.token()).key.split(".")[1]).toBe(key.split(".")[1]);
  });

  it("is refused with invalid settings", async () => {
    for (const [options, says] of [
      [{ workerAddress: "a:1", workerPort: undefined }, "workerAddress needs workerPort"],
      [
        { workerAddress: "http://a" },
        'workerAddress must be host:port, like gpu.example.com:7443; got "http://a"',
      ],
    ] as const)
      await expect(FarScene.start(options as EmulatorOptions)).rejects.toThrow(says);
  });
});

const KEY_OF_ALL = "test-key";

function secretKey(byte: number): string {
  return Buffer.alloc(32, byte).toString("base64");
}

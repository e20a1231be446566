/** A bucket for large payloads that fails: at the start, while a payload is stored, and while one is read. */
import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import {
  StoreClosedError,
  StoreFullError,
  StoreUnusableError,
} from "../../../../emulator/core/store-error.ts";
import { openS3Blobs } from "../../../../emulator/store/blobs/s3-blobs.ts";
import { addressOn, startOwnS3 } from "../../../setup/own-s3.ts";
import { refusal } from "../../runtime/storage/fake-s3.ts";

const QUICK = { tries: 2, firstMs: 1, maxMs: 1 };
const MB = 1_000_000;
const KEYS = { accessKeyId: "id", secretAccessKey: "hush-hush" };

const open = (address: string) => openS3Blobs(address, { env: {}, retry: QUICK });

describe("at the start", () => {
  it("a wrong key is refused with the bucket and where the keys are from, but without them", async () => {
    await using s3 = await startOwnS3();
    const wrong = open(addressOn({ ...s3, secretAccessKey: "hush-hush" }));
    await expect(wrong).rejects.toThrow(StoreUnusableError);
    await expect(wrong).rejects.toThrow(/"of-tests" of http.*refused the credentials.*address/);
    await expect(wrong).rejects.not.toThrow("hush-hush");
  });

  it("a missing bucket is refused", async () => {
    await using s3 = await startOwnS3();
    await expect(open(addressOn({ ...s3, bucket: "nowhere" }))).rejects.toThrow(/NoSuchBucket/);
  });

  it("a service that does not answer is refused", async () => {
    const url = "http://127.0.0.1:9";
    const away = open(addressOn({ url, bucket: "b", ...KEYS }));
    await expect(away).rejects.toThrow(StoreUnusableError);
    await expect(away).rejects.toThrow("cannot be reached");
  });

  it("a service without room counts as full", async () => {
    await using server = await answering((_, response) => {
      const { status, body } = refusal(507, "XMinioStorageFull");
      response.writeHead(status).end(body);
    });
    await expect(open(addressOn({ url: server.url, bucket: "b", ...KEYS }))).rejects.toThrow(
      StoreFullError,
    );
  });
});

describe("while a payload is read", () => {
  it("a connection that is cut once is reopened", async () => {
    await using s3 = await startOwnS3();
    await using wire = await Wire.to(s3.url);
    const blobs = await open(addressOn({ ...s3, url: wire.url }));
    const large = Buffer.alloc(3 * MB, "large ");
    await blobs.put("large", [large]);
    wire.cutAnswersAfter(1 * MB, 1);
    await using opened = await blobs.read("large", 0, large.length);
    const slices = await Array.fromAsync(opened?.slices() ?? [], (slice) => Buffer.from(slice));
    expect(Buffer.concat(slices).equals(large)).toBe(true);
    expect(wire.cuts).toBe(1);
    await blobs.close();
  });

  it("a connection that stays cut is an error of the slices", async () => {
    await using s3 = await startOwnS3();
    await using wire = await Wire.to(s3.url);
    const blobs = await open(addressOn({ ...s3, url: wire.url }));
    await blobs.put("large", [Buffer.alloc(3 * MB)]);
    wire.cutAnswersAfter(1 * MB, 1);
    await using opened = await blobs.read("large", 0, 3 * MB);
    // The cut comes before it reconnects.
    await blobs.remove("large");
    const reading = Array.fromAsync(opened?.slices() ?? []);
    await expect(reading).rejects.toThrow(StoreUnusableError);
    await blobs.close();
  });
});

it("a close ends running reads", async () => {
  await using s3 = await startOwnS3();
  await using wire = await Wire.to(s3.url);
  const blobs = await open(addressOn({ ...s3, url: wire.url }));
  const { reached } = wire.hang();
  const put = blobs.put("late", [Buffer.from("x")]);
  await reached;
  await blobs.close();
  await expect(put).rejects.toThrow(StoreClosedError);
});

async function answering(listener: http.RequestListener) {
  const server = http.createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Connections to a server, which a test cuts. */
class Wire implements AsyncDisposable {
  cuts = 0;
  #left = 0;
  #bytes = 0;
  #hanging: (() => void) | undefined;
  readonly #sockets = new Set<net.Socket>();
  readonly #server: net.Server;

  private constructor(target: URL) {
    this.#server = net.createServer((near) => {
      const far = net.connect(Number(target.port), target.hostname);
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined);
        socket.on("close", () => {
          near.destroy();
          far.destroy();
        });
      }
      near.on("data", (piece) => {
        if (this.#hanging === undefined) far.write(piece);
        else this.#hanging();
      });
      let answered = 0;
      far.on("data", (piece) => {
        answered += piece.length;
        if (this.#left > 0 && answered > this.#bytes) {
          this.#left -= 1;
          this.cuts += 1;
          near.destroy();
        } else near.write(piece);
      });
    });
  }

  static async to(url: string): Promise<Wire> {
    const wire = new Wire(new URL(url));
    wire.#server.listen(0, "127.0.0.1");
    await once(wire.#server, "listening");
    return wire;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Cuts this number of connections, each after this number of bytes came back over it. */
  cutAnswersAfter(bytes: number, times: number): void {
    this.#bytes = bytes;
    this.#left = times;
  }

  /** Passes nothing on any more. `reached` resolves when data came. */
  hang(): { readonly reached: Promise<void> } {
    const reached = new Promise<void>((resolve) => (this.#hanging = resolve));
    return { reached };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

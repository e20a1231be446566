/** Opens a connection through a proxy, as far as the host itself, for protocols other than HTTP. */
import { Buffer } from "node:buffer";
import http from "node:http";
import type { Socket } from "node:net";
import { proxyOf } from "./proxy-choice.ts";

/** Resolves with undefined if the host needs no proxy. @throws Error if the proxy refuses, or does not answer in time */
export async function tunnelTo(
  host: string,
  port: number,
  limitMs: number,
): Promise<Socket | undefined> {
  const proxy = URL.parse(proxyOf(host) ?? "");
  if (proxy === null) return undefined;
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const asked = http.request({
    host: proxy.hostname,
    port: proxy.port === "" ? 80 : Number(proxy.port),
    method: "CONNECT",
    path: place,
    headers: {
      host: place,
      ...(login !== ":" && {
        "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}`,
      }),
    },
    agent: false,
    timeout: limitMs,
  });
  asked.once("timeout", () =>
    asked.destroy(new Error(`the proxy did not answer in ${limitMs} ms`)),
  );
  asked.once("error", reject);
  asked.once("response", ({ statusCode }) => {
    asked.destroy();
    reject(new Error(`the proxy ${proxy.host} answered ${statusCode}`));
  });
  asked.once("connect", ({ statusCode }, socket: Socket) => {
    if (statusCode === 200) return resolve(socket);
    socket.destroy();
    reject(new Error(`the proxy ${proxy.host} answered ${statusCode}`));
  });
  asked.end();
  return promise;
}

/** Passes a request for an upgrade on to the replica that owns its endpoint, over a connection of its own. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { endpointMoved, type Owned } from "../../engine/steps/state/endpoint-moved.ts";
import type { Ownership, Replica } from "../../store/ownership.ts";
import type { Exchange } from "../operation/answers/refuse.ts";
import { MOVED_HEADER } from "./answer-head.ts";
import { CHANNEL_AUTH_HEADER } from "./channel/channel-auth.ts";
import { type Caller, channelAuthFor, requestReplica } from "./channel/reach-replica.ts";
import { endToEndHeaders } from "./end-to-end-headers.ts";
import { OwnerSearch } from "./find-owner.ts";

/** The upgraded connection to the owner, and the owner's answer. */
export interface Upgraded {
  readonly answer: IncomingMessage;
  readonly server: Socket;
}

export interface UpgradeOptions {
  readonly owned: Owned;
  readonly ownership: Ownership;
  readonly caller: Caller;
}

/** See `Replicas.upgrade`. @throws ServiceError endpoint_moved */
export async function passUpgrade(
  exchange: Exchange,
  { owned, ownership, caller }: UpgradeOptions,
): Promise<Upgraded | "here" | undefined> {
  const { response, service } = exchange;
  const search = new OwnerSearch(service, ownership, owned);
  for (;;) {
    const owner = await search.find(response);
    if (response.destroyed) return undefined;
    if (owner === undefined) throw endpointMoved(owned);
    if (owner.id === ownership.self.id) return "here";
    const end = await tryUpgrade(exchange, owner, caller);
    if (end !== "moved") return end;
    search.wasNot(owner);
  }
}

/** Also `moved` if the replica cannot be reached, because nothing was upgraded. */
async function tryUpgrade(
  exchange: Exchange,
  owner: Replica,
  caller: Caller,
): Promise<Upgraded | "moved" | undefined> {
  const { request, response } = exchange;
  const { method = "", url = "", rawHeaders, socket } = request;
  const upgrade = { method, path: url, address: socket.remoteAddress ?? "" };
  const auth = await channelAuthFor(owner, caller, upgrade).catch(() => undefined);
  if (auth === undefined) return "moved";
  if (response.destroyed) return undefined;
  const headers = [...withoutChannelAuth(rawHeaders), CHANNEL_AUTH_HEADER, auth];
  const upstream = await requestReplica(owner, { method, path: url, headers });
  const { promise, resolve } = Promise.withResolvers<Upgraded | "moved" | undefined>();
  upstream
    .once("upgrade", (answer, server: Socket, head: Buffer) => {
      if (head.length > 0) server.unshift(head);
      resolve({ answer, server });
    })
    .once("response", (answer) => {
      const isMoved = answer.headers[MOVED_HEADER] !== undefined;
      resolve(isMoved ? "moved" : passBack(answer, response));
    })
    .on("error", () => resolve("moved"));
  const gone = () => upstream.destroy();
  response.once("close", gone);
  upstream.end();
  const end = await promise;
  response.off("close", gone);
  if (end === "moved") upstream.destroy();
  return end;
}

/** An answer without an upgrade. */
async function passBack(answer: IncomingMessage, response: ServerResponse): Promise<undefined> {
  const { statusCode = 502, statusMessage = "", rawHeaders, headers } = answer;
  response.sendDate = false;
  response.writeHead(
    statusCode,
    statusMessage,
    endToEndHeaders(rawHeaders, headers.connection).flat(),
  );
  await pipeline(answer, response).catch(() => response.destroy());
}

function withoutChannelAuth(rawHeaders: readonly string[]): string[] {
  const left: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (name.toLowerCase() !== CHANNEL_AUTH_HEADER) left.push(name, value);
  }
  return left;
}

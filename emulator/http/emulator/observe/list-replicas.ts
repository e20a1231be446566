/**
 * `GET /emulator/replicas`: the emulators that share the store, with the partitions of each, and partitions without an owner.
 */
import { hostname } from "node:os";
import type { z } from "zod";
import { RUNTIME_VERSION } from "../../../../runtime/version.ts";
import type { Ownership } from "../../../store/ownership.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import type { Operation } from "../../operation/operation.ts";
import { json } from "../../schemas/contract.ts";
import { replicasSchema } from "../../schemas/replicas.ts";
import type { HttpService } from "../../operation/service.ts";
import { iso } from "../../../core/time/iso.ts";

type Listed = z.infer<typeof replicasSchema>;

export const listReplicas: Operation = {
  methods: ["GET"],
  path: "/emulator/replicas",
  owner: "any",
  gather: { join: (own, shares) => joined(own as Listed, shares as readonly Listed[]) },
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 200: json("The emulators that share the store.", replicasSchema) },
  },
  async perform({ service }) {
    const { ownership } = service;
    return jsonAnswer(ownership === undefined ? alone(service) : shared(service, ownership));
  },
};

function alone({ engine, startedAt }: HttpService): Listed {
  const id = `${hostname()}-${process.pid}`;
  const endpoints = engine.directory.endpointIds().size;
  const self = { id, version: RUNTIME_VERSION, startedAt: iso(startedAt), endpoints };
  return { answeredBy: id, replicas: [{ ...self, ...figures(engine) }], unowned: [] };
}

/** The store's data about other replicas. */
function shared({ engine }: HttpService, ownership: Ownership): Listed {
  const answeredBy = ownership.self.id;
  const endpoints = [...engine.directory.endpointIds()].map((id) => ownership.partitionOf(id));
  const unowned = new Set(
    Array.from({ length: ownership.partitionCount }, (_, partition) => partition),
  );
  const replicas = ownership.replicas().map((replica) => {
    const { id, address, version, partitions, clockAheadMs } = replica;
    for (const partition of partitions) unowned.delete(partition);
    return {
      ...{ id, address, version },
      startedAt: iso(replica.startedAt),
      leaseEndsAt: iso(replica.leaseEndsAt),
      clockAheadMs,
      partitions: [...partitions],
      endpoints: endpoints.filter((partition) => partitions.includes(partition)).length,
      ...(id === answeredBy && figures(engine)),
    };
  });
  return { answeredBy, replicas, unowned: [...unowned] };
}

/** Data about this replica that the store does not have. */
function figures({ fleet }: HttpService["engine"]) {
  const workers = fleet.all();
  return {
    workers: workers.length,
    running: workers.reduce((sum, { heldCount }) => sum + heldCount, 0),
  };
}

function joined(own: Listed, shares: readonly Listed[]): Listed {
  const replicas = own.replicas.map((replica) => {
    const share = shares.find(({ answeredBy }) => answeredBy === replica.id);
    const { workers, running } = share?.replicas.find(({ id }) => id === replica.id) ?? replica;
    return { ...replica, workers, running };
  });
  return { ...own, replicas };
}

/** Creates, lists, reads and changes network volumes, and deletes them together with their files. */
import type {
  NetworkVolumeChange,
  NetworkVolumeInput,
} from "../../core/resources/network-volumes/network-volume-input.ts";
import {
  type NetworkVolume,
  volumesOf,
} from "../../core/resources/network-volumes/network-volume.ts";
import { invalidRequest, type ServiceError } from "../../core/service-error.ts";
import { billVolume } from "../billing/bill-volume.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { CatalogPort } from "./catalog-port.ts";
import { refuseIfUsed } from "./in-use.ts";
import { volumeNotFound } from "./directory.ts";

const ID_LENGTH = 10;

/** @throws ServiceError storage_full */
export async function createNetworkVolume(
  engine: StepPort & TimePort & CatalogPort,
  input: NetworkVolumeInput,
): Promise<NetworkVolume> {
  const volume: NetworkVolume = { id: engine.random.shortId(ID_LENGTH), ...input };
  const store = async () => {
    await engine.steps.commit((step) => step.putRecord("networkVolume", volume.id, volume));
    billVolume(engine, volume);
  };
  await inServiceWords(engine, engine.volumeFiles.create(volume.id, store));
  return volume;
}

/** In order of name. */
export function listNetworkVolumes(engine: CatalogPort): readonly NetworkVolume[] {
  return engine.directory
    .volumes()
    .toSorted((a, b) => ((a.name === b.name ? a.id < b.id : a.name < b.name) ? -1 : 1));
}

/** @throws ServiceError network_volume_not_found; invalid_request for a smaller size; storage_full */
export async function updateNetworkVolume(
  engine: StepPort & CatalogPort,
  id: string,
  { name, size }: NetworkVolumeChange,
): Promise<NetworkVolume> {
  const { before, after } = await engine.steps.commit((step) => {
    const volume = step.record("networkVolume", id);
    if (!volume) throw volumeNotFound(id);
    if (size !== undefined && size < volume.size) throw shrinks(volume, size);
    const changed = { ...volume, name: name ?? volume.name, size: size ?? volume.size };
    step.putRecord("networkVolume", id, changed);
    return { before: volume, after: changed };
  });
  if (after.size > before.size) billVolume(engine, after);
  return after;
}

/**
 * Deletes the volume and all its files.
 * @throws ServiceError network_volume_not_found; in_use while an endpoint has it; storage_full
 */
export async function deleteNetworkVolume(
  engine: StepPort & CatalogPort,
  id: string,
): Promise<void> {
  engine.directory.volume(id);
  const unstore = async () => {
    await engine.steps.commit((step) => {
      const volume = step.record("networkVolume", id);
      if (!volume) throw volumeNotFound(id);
      refuseIfUsed(step, `the network volume "${volume.name}" (${id})`, {
        endpoint: (endpoint) => volumesOf(endpoint).includes(id),
        pod: (pod) => pod.networkVolumeId === id,
      });
      step.deleteRecord("networkVolume", id);
    });
    engine.usage.ended(id);
  };
  await inServiceWords(engine, engine.volumeFiles.remove(id, unstore));
}

async function inServiceWords(engine: StepPort, work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    throw engine.steps.refusalFor(error);
  });
}

function shrinks({ size }: NetworkVolume, asked: number): ServiceError {
  return invalidRequest([
    `size must be ${size} (GB) or more, because a network volume can only grow; got ${asked}`,
  ]);
}

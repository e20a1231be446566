/** Stands in for the store on PostgreSQL until that is merged. */
import type { Clock } from "../../core/time/clock.ts";
import type { StoreDamagedError, StoreLostError } from "../../core/store-error.ts";
import type { Blobs } from "../blobs/blobs.ts";
import type { Store } from "../store.ts";

export interface PostgresStoreOptions {
  readonly url: string;
  readonly blobs?: Blobs;
  readonly replica: string;
  readonly clock?: Clock;
  readonly onCommit?: (durationMs: number) => void;
  readonly onDamage?: (damage: StoreDamagedError) => void;
  readonly onLost?: (error: StoreLostError) => void;
  readonly onRemoval?: (lost: StoreLostError | undefined) => void;
  readonly warn?: (sentence: string) => void;
}

export async function openPostgresStore(_options: PostgresStoreOptions): Promise<Store> {
  throw new Error("not merged yet");
}

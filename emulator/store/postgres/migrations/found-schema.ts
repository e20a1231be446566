/** Which migrations a database has had, and whether a version can work with it that knows fewer. */
import { isServerError } from "../connect/postgres-error.ts";
import type { Session } from "../connect/session.ts";

export interface FoundSchema {
  /** The number of the last migration; 0 where there is no schema of ours. */
  readonly version: number;
  readonly readableBy: number;
}

/** Until the third nothing says by whom one can be read: by itself. */
const FIND = `SELECT coalesce(max(version), 0), coalesce(max(coalesce((to_jsonb(m) ->> 'readable_by')::integer, version)), 0)
  FROM migration AS m`;
const NO_SUCH_TABLE = "42P01";

/** Throws what `pg` throws. */
export async function findSchema(session: Session): Promise<FoundSchema> {
  try {
    const { rows } = await session.ask({ text: FIND });
    const [version, readableBy] = rows[0] ?? [];
    return { version: Number(version), readableBy: Number(readableBy) };
  } catch (error) {
    if (isServerError(error) && error.code === NO_SUCH_TABLE) return { version: 0, readableBy: 0 };
    throw error;
  }
}

/** A sentence where a version that knows the migrations up to `knows` cannot work with it. */
export function whyUnreadable(
  { version, readableBy }: FoundSchema,
  knows: number,
): string | undefined {
  if (readableBy <= knows) return undefined;
  return `was written by a newer version of sv-runtime (its schema is ${version}, with which versions work that know ${readableBy}; this one knows ${knows})`;
}

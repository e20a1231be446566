/** Renews the claim of the only replica: if any partition is gone, the whole claim is lost. */
import type { Session } from "../connect/session.ts";
import type { Claim } from "./claim.ts";
import { ALL_PARTS } from "./parts.ts";
import { prolong } from "./registration.ts";

const OWN = { name: "own-parts", text: "SELECT part, epoch FROM owner WHERE replica = $1" };

/** @throws StoreLostError; what `pg` throws */
export async function renewAlone(claim: Claim, session: Session): Promise<void> {
  const { who, registration, held, time, trust } = claim;
  if (registration === undefined) return;
  const startedAt = trust.now();
  const asked = time.ask(who, registration);
  const [row, sample, own] = await session.askAll([
    prolong(who, registration, claim.told(true)),
    asked.statement,
    { ...OWN, values: [who.id] },
  ]);
  await time.heard(session, asked, { row: sample?.rows[0], isKnownElsewhere: false });
  const epochs = new Map(own?.rows.map(([part, epoch]) => [Number(part), Number(epoch)]));
  const isWhole = ALL_PARTS.every((part) => epochs.get(part) === held.epochOf(part));
  if (row?.rowCount !== 1 || !isWhole) await claim.lose(session);
  trust.renew(startedAt);
}

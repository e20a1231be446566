/** Writes the audit entry of a call before it is answered; and the operation that shows the audit. */
import { z } from "zod";
import type { ApiKey } from "../../../core/access/api-key.ts";
import { limitParameter, parse, parseLimit } from "../../../core/input/query-parameters.ts";
import { type Answer, jsonAnswer } from "../answers/answer.ts";
import { asRefusal } from "../answers/refuse.ts";
import type { Call, Operation } from "../operation.ts";
import { ClientGoneError } from "../requests/request-body.ts";
import { auditSchema } from "../../schemas/access.ts";
import { json } from "../../schemas/contract.ts";
import { iso } from "../../../core/time/iso.ts";

/**
 * Performs an audited operation.
 * @param key key of the call
 */
export async function performNoted<Path>(
  name: string,
  operation: Operation<Path>,
  call: Call<Path>,
  key: ApiKey,
): Promise<Answer> {
  const noteIn = auditNote(call, key, name);
  const note = (status: number, subject = Object.values(call.path ?? {}).join(" ")) =>
    noteIn(status, subject);
  try {
    const answer = await operation.perform(call);
    await ("flow" in answer ? note(200) : note(answer.status, answer.subject));
    return answer;
  } catch (error) {
    // The client left before its request was complete.
    if (error instanceof ClientGoneError) throw error;
    const refusal = asRefusal(call, error);
    await note(call.refusal(refusal).status);
    throw refusal;
  }
}

/** Records the outcome of an operation with its name, its key and its subject. */
export function auditNote(
  { service, request }: Pick<Call<unknown>, "service" | "request">,
  { id: keyId, name: keyName }: ApiKey,
  operation: string,
): (status: number, subject: string) => Promise<void> {
  const { client } = service.callers.seen(request);
  return (status, subject) =>
    service.audit.note({ keyId, keyName, client, operation, subject, status });
}

const after = z
  .string({ error: "must be given once" })
  .optional()
  .meta({ description: "The `next` of the previous page." });

const read: Operation = {
  methods: ["GET"],
  path: "/emulator/audit",
  access: "admin",
  owner: "any",
  contract: {
    tag: "emulator",
    query: z.object({ limit: limitParameter, after }),
    answers: { 200: json("A page of entries.", auditSchema) },
  },
  async perform({ service, query }) {
    const { entries, next } = service.audit.page(parseLimit(query), parse(query, "after", after));
    return jsonAnswer({
      entries: entries.map(({ at, ...entry }) => ({ at: iso(at), ...entry })),
      ...(next !== undefined && { next }),
    });
  },
};

export const AUDIT_OPERATIONS = {
  /** `GET /emulator/audit`: who changed which resource, newest change first (ours). */
  readAudit: read,
};

/** The audit's entry about one request that could change a resource. */

export interface AuditEntry {
  /** Ids sort by age. */
  readonly id: string;
  /** Service time, ms. */
  readonly at: number;
  readonly keyId: string;
  /** The key's name at that time. */
  readonly keyName: string;
  /** The address the request came from. */
  readonly client: string;
  /** The operation's name in the OpenAPI document. */
  readonly operation: string;
  /** The subject of the request, for example the id of an endpoint; empty where there is none. */
  readonly subject: string;
  /** The HTTP status of the answer. */
  readonly status: number;
}

/** What the audit says of one request that was to change what is managed. */

export interface AuditEntry {
  /** Later ones sort after earlier ones. */
  readonly id: string;
  /** Service time, ms. */
  readonly at: number;
  readonly keyId: string;
  /** Of the key, as it was then. */
  readonly keyName: string;
  /** The address the request came from. */
  readonly client: string;
  /** The operation's name in the description of the interface. */
  readonly operation: string;
  /** What it was about, for example the id of an endpoint; empty where there is nothing to name. */
  readonly subject: string;
  /** The HTTP status of the answer. */
  readonly status: number;
}

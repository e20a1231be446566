/** The port for workers from elsewhere, as shown to makers of tokens for it. */
export interface WorkerListener {
  /** SHA-256 of the certificate, if the service made it. Undefined for a certificate of an authority. */
  readonly fingerprint: Uint8Array | undefined;
  /** `tls://host:port` of each replica with such a port, this one first. */
  addresses(): readonly string[];
}

/** A pod as the API server tells of it, as far as it matters here. */

export interface SeenPod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    /** Set: it is being deleted. */
    readonly deletionTimestamp?: string;
  };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly podIP?: string;
    readonly conditions?: readonly PodCondition[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

export interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: object;
    readonly terminated?: ContainerEnd;
  };
}

export interface ContainerEnd {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
}

/** What somebody in the cluster says of a pod. */
export interface SeenEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  /** When it was said last; a moment in ISO 8601. */
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
}

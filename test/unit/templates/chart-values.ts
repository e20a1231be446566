/** Values of the chart, from the fewest to all at once. */

/** The minimum: one replica with its data on a volume. */
export const LEAST = { image: { repository: "registry.example/sv" }, secret: "sv-keys" };

export const SHARED = {
  ...LEAST,
  replicas: 3,
  database: { secret: "sv-db-app" },
  insecureReplicas: true,
};

export const MOST = {
  ...SHARED,
  image: {
    ...{ repository: "registry.example/sv", tag: "2", digest: `sha256:${"0".repeat(64)}` },
    pullSecrets: [{ name: "pull" }],
  },
  labels: { team: "inference" },
  config: {
    endpoints: {
      greet: { handler: "./greet", env: { TOKEN: { fromEnv: "GREET_TOKEN" } } },
      upscale: { image: "registry.example/upscale:1", executionTimeoutMs: 86_400_000 },
    },
  },
  bucket: { secret: "sv-bucket" },
  ingress: {
    host: "sv.example.com",
    tlsSecret: "sv-certificate",
    annotations: { "nginx.ingress.kubernetes.io/proxy-read-timeout": "7200" },
  },
  allowedHosts: ["sv.internal"],
  workers: { enabled: true, domain: "gpu.example.com", annotations: { "example.com/a": "b" } },
  kubernetes: { namespace: "gpu" },
  networkPolicy: { enabled: true, from: [{ namespaceSelector: {} }] },
  metrics: { serviceMonitor: true, secret: "sv-metrics" },
  env: [{ name: "GREET_TOKEN", valueFrom: { secretKeyRef: { name: "greet", key: "token" } } }],
  volumes: [{ name: "authority", configMap: { name: "authority" } }],
  volumeMounts: [{ name: "authority", mountPath: "/authority" }],
  nodeSelector: { pool: "plain" },
  tolerations: [{ key: "plain", operator: "Exists" }],
  service: { type: "NodePort", annotations: { "example.com/scrape": "no" } },
  serviceAccount: { annotations: { "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/sv" } },
  envFrom: [{ configMapRef: { name: "more" } }, { secretRef: { name: "most" } }],
  initContainers: [{ name: "wait", image: "registry.example/wait:1", command: ["true"] }],
  podAnnotations: { "cluster-autoscaler.kubernetes.io/safe-to-evict": "false" },
  podLabels: { "sidecar.istio.io/inject": "true" },
  priorityClassName: "platform",
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "pool", operator: "Exists" }] }],
      },
    },
  },
};

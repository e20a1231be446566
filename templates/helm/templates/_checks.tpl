{{/* Rules that a schema cannot express. */}}
{{- define "sv-runtime.check" -}}
{{- with .Values -}}
{{- if not .image.repository -}}
{{- fail "image.repository is missing: no registry has an image of the service; build one as docs/kubernetes-chart.md says" -}}
{{- end -}}
{{- if not .secret -}}
{{- fail "secret is missing: the name of a Secret with SV_API_KEY; kubectl create secret generic sv-keys --from-literal=SV_API_KEY=…" -}}
{{- end -}}
{{- if and (gt (int .replicas) 1) (not .database.secret) -}}
{{- fail (printf "%d replicas need a database: database.secret, the name of a Secret with the address of a PostgreSQL" (int .replicas)) -}}
{{- end -}}
{{- if and .database.secret (not .insecureReplicas) -}}
{{- fail "with a database replicas call each other over plain HTTP in the network of the pods: guard it, and set insecureReplicas=true" -}}
{{- end -}}
{{- if and .bucket.secret (not .database.secret) -}}
{{- fail "bucket.secret goes with database.secret: without a database large payloads lie in the data directory" -}}
{{- end -}}
{{- if and .workers.domain (not .workers.enabled) -}}
{{- fail "workers.domain goes with workers.enabled" -}}
{{- end -}}
{{- if eq .kubernetes.namespace $.Release.Namespace -}}
{{- fail "kubernetes.namespace is the namespace of the release, which has its keys: name one for the pods of workers alone" -}}
{{- end -}}
{{- if and .metrics.serviceMonitor (not .metrics.secret) -}}
{{- fail "metrics.serviceMonitor goes with metrics.secret: /metrics wants an API key" -}}
{{- end -}}
{{- end -}}
{{- end -}}

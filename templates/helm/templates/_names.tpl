{{/* Name of everything. The names of a StatefulSet's pods and revisions are 11 characters longer. */}}
{{- define "sv-runtime.name" -}}
{{- $name := ternary .Release.Name (printf "%s-sv-runtime" .Release.Name) (contains "sv-runtime" .Release.Name) -}}
{{- $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels that select the pods. */}}
{{- define "sv-runtime.selector" -}}
app.kubernetes.io/name: sv-runtime
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sv-runtime.labels" -}}
{{ include "sv-runtime.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The port for workers; empty without one. */}}
{{- define "sv-runtime.workerPort" -}}
{{- if or .Values.workers.enabled .Values.kubernetes.namespace -}}7443{{- end -}}
{{- end -}}

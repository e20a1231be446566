{{/* Name of everything. The names of a StatefulSet's pods and revisions are 11 characters longer. */}}
{{- define "sv-runtime.name" -}}
{{- $made := ternary .Release.Name (printf "%s-sv-runtime" .Release.Name) (contains "sv-runtime" .Release.Name) -}}
{{- .Values.fullnameOverride | default $made | trunc 52 | trimSuffix "-" -}}
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
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Labels of the pods of workers. */}}
{{- define "sv-runtime.workers" -}}
app.kubernetes.io/name: sv-worker
app.kubernetes.io/managed-by: sv-runtime
{{- end -}}

{{- define "sv-runtime.account" -}}
{{- .Values.serviceAccount.name | default (include "sv-runtime.name" .) -}}
{{- end -}}

{{/* Selects the release's namespace. Clusters before 1.21 do not label namespaces with their names: there it selects all, and labels of pods decide. */}}
{{- define "sv-runtime.namespaced" -}}
{{- $labelled := semverCompare ">=1.21-0" .kube -}}
{{- if $labelled }}{ matchLabels: { kubernetes.io/metadata.name: {{ .namespace }} } }{{ else }}{}{{ end -}}
{{- end -}}

{{/* The port for workers; empty without one. */}}
{{- define "sv-runtime.workerPort" -}}
{{- if or .Values.workers.enabled .Values.kubernetes.namespace -}}7443{{- end -}}
{{- end -}}

{{/* What everything is called. The names of a StatefulSet's pods and revisions are longer by 11 characters. */}}
{{- define "sv-runtime.name" -}}
{{- $name := ternary .Release.Name (printf "%s-sv-runtime" .Release.Name) (contains "sv-runtime" .Release.Name) -}}
{{- $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{/* What its pods are known by. */}}
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

{{/* Whether there is a port for workers: something, or nothing. */}}
{{- define "sv-runtime.workerPort" -}}
{{- if or .Values.workers.enabled .Values.kubernetes.namespace -}}7443{{- end -}}
{{- end -}}

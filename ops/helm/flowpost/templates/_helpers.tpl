{{- define "flowpost.name" -}}
{{- if contains "flowpost" .Release.Name }}{{ .Release.Name | trunc 50 }}{{ else }}{{ printf "%s-flowpost" .Release.Name | trunc 50 }}{{ end }}
{{- end }}

{{- define "flowpost.selector" -}}
app.kubernetes.io/name: flowpost
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "flowpost.labels" -}}
{{ include "flowpost.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "flowpost.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

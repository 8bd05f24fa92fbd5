{{- define "flowpost.name" -}}
{{- if contains "flowpost" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-flowpost" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
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

{{- /*
The environment variables of `config`, as text. YAML reads `on` and `off` as booleans, and Helm reads every number as a
float64, which would print a million as 1e+06.
*/}}
{{- define "flowpost.config" -}}
{{- range $key, $value := .Values.config }}
{{- if and (kindIs "bool" $value) (hasPrefix "FLOWPOST_" $key) }}
{{- $value = ternary "on" "off" $value }}
{{- else if kindIs "float64" $value }}
{{- if eq $value (floor $value) }}
{{- $value = int64 $value }}
{{- end }}
{{- end }}
- name: {{ $key }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
